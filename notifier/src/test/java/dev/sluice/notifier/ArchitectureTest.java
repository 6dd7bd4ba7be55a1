package dev.sluice.notifier;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Decisions know neither container nor framework. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.sluice.notifier");

  @Test
  void onlyTheEdgesKnowTheContainerAndTheFramework() {
    noClasses()
        .that()
        .resideInAnyPackage("..stomp..", "..outbox..", "..routing..", "..push..", "..connection..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework..", "org.eclipse.jetty..", "jakarta..", "org.apache.kafka..")
        .check(CLASSES);
  }

  @Test
  void thePaceOfPushesKnowsNeitherClockNorChance() {
    noClasses()
        .that()
        .haveSimpleName("PushPace")
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.time\\..*|java\\.util\\..*|java\\.lang\\.(Thread|System)")
        .check(CLASSES);
  }

  @Test
  void framesOutboxAndRoutingNeedNoThreadOrClock() {
    noClasses()
        .that()
        .resideInAnyPackage("..stomp..", "..outbox..", "..routing..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("..push..", "..connection..", "..jetty..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.time\\.Clock|java\\.lang\\.Thread|java\\.util\\.concurrent\\.Exec.*")
        .check(CLASSES);
  }

  @Test
  void aNotifierReachesTheTopologyThroughItsFacesOnly() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.sluice.api..", "dev.sluice.log..", "dev.sluice.runtime..", "dev.sluice.hot.edge..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("dev\\.sluice\\.settings\\.(SettingsFollower|ConfigWriter|.*Gate.*)")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("dev.sluice.admission.streams..")
        .check(CLASSES);
  }
}
