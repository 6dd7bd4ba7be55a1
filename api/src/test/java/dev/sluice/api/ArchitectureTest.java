package dev.sluice.api;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.sluice.api");

  @Test
  void what_a_call_means_knows_neither_container_nor_framework() {
    noClasses()
        .that()
        .haveNameMatching(
            ".*\\.(AdmissionCalls|Reply|PersonName|PersonJson|PollingInterval|InFlight|MediaTypes"
                + "|JsonBody|RoomCalls|RoomBody|RoomJson|FetchQuery|Fetches|FeedBodies|SharedFeed"
                + "|Analysis|Point|Problem|ProblemType|FieldError)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework..", "org.eclipse.jetty..", "jakarta..", "org.apache.kafka..")
        .check(CLASSES);
  }

  @Test
  void what_calms_a_hot_room_is_plain_java() {
    classes()
        .that()
        .haveNameMatching(".*\\.(FetchGate|JoinBucket)(\\$.*)?")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java.lang..", "java.util..", "dev.sluice.api.rooms", "dev.sluice.query")
        .check(CLASSES);
    noClasses()
        .that()
        .haveNameMatching(".*\\.(FetchGate|JoinBucket|JoinLimits)(\\$.*)?")
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(CLASSES);
  }

  @Test
  void the_api_reaches_the_topology_through_its_faces_only() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.sluice.admission..", "dev.sluice.notifier..", "org.apache.kafka..")
        .check(CLASSES);
  }
}
