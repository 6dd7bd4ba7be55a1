package dev.sluice;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.sluice.contract.Outcome;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Which way dependencies point. */
class ArchitectureTest {
  /** Of this module alone, wherever they were compiled to. */
  private static final JavaClasses TOPOLOGY =
      new ClassFileImporter()
          .importUrl(Outcome.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void theContractDependsOnNothingOfOurs() {
    noClasses()
        .that()
        .resideInAPackage("dev.sluice.contract..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.sluice.admission..",
            "dev.sluice.identity..",
            "dev.sluice.log..",
            "dev.sluice.query..",
            "dev.sluice.rooms..",
            "dev.sluice.runtime..",
            "dev.sluice.settings..",
            "dev.sluice.streams..")
        .check(TOPOLOGY);
  }

  @Test
  void whatIsKeptOfRoomsIsPlainJava() {
    classes()
        .that()
        .resideInAPackage("dev.sluice.rooms")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    "java.lang..",
                    "java.util..",
                    "java.nio.charset",
                    "dev.sluice.rooms",
                    "dev.sluice.contract",
                    "dev.sluice.query")
                .or(belongToAnyOf(BinaryReader.class, BinaryWriter.class)))
        .check(TOPOLOGY);
  }

  @Test
  void theMachineIsPlainJava() {
    classes()
        .that()
        .resideInAPackage("dev.sluice.admission")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java.lang..",
            "java.util..",
            "dev.sluice.admission",
            "dev.sluice.contract",
            "dev.sluice.query",
            "dev.sluice.settings",
            "java.time")
        .check(TOPOLOGY);
  }

  @Test
  void whatJudgesRoomsIsPlainJava() {
    classes()
        .that()
        .resideInAPackage("dev.sluice.hot")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java.lang..",
            "java.util..",
            "dev.sluice.hot",
            "dev.sluice.contract",
            "dev.sluice.query",
            "dev.sluice.settings",
            "java.time")
        .check(TOPOLOGY);
  }

  @Test
  void whatDecidesKnowsNoClock() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.sluice.admission", "dev.sluice.rooms", "dev.sluice.hot")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("java\\.time\\.(Clock|Instant|.*Date.*|.*DateTime)")
        .check(TOPOLOGY);
  }

  @Test
  void whatDecidesKnowsNoChance() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.sluice.admission", "dev.sluice.rooms", "dev.sluice.hot")
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(Random.class, ThreadLocalRandom.class, UUID.class)
        .orShould()
        .callMethod(Math.class, "random")
        .check(TOPOLOGY);
  }

  @Test
  void theTopologyKnowsNeitherSpringNorItsCallers() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework..",
            "dev.sluice.api..",
            "dev.sluice.notifier..",
            "dev.sluice.replay..",
            "dev.sluice.standalone..",
            "dev.sluice.broker..")
        .check(TOPOLOGY);
  }
}
