package dev.sluice.contract;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The records behind a sealed interface. */
final class ContractTypes {
  private ContractTypes() {}

  static List<Class<?>> of(Class<?> sealed) {
    return Arrays.stream(sealed.getPermittedSubclasses())
        .<Class<?>>flatMap(type -> type.isSealed() ? of(type).stream() : Stream.<Class<?>>of(type))
        .toList();
  }
}
