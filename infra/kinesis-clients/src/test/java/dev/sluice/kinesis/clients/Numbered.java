package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What clients write and must read again: records numbered within their key.
 *
 * @param number from 0 in each key
 */
record Numbered(String key, int number) {
  static final int KEYS = 100;
  static final int EACH = 100;

  /** Numbers of each key in turn: one of all keys, then the next of all keys. */
  static List<Numbered> range(int keys, int from, int to) {
    return IntStream.range(from, to)
        .boxed()
        .flatMap(
            number -> IntStream.range(0, keys).mapToObj(key -> new Numbered("key-" + key, number)))
        .toList();
  }

  /** Of a line with key and number. */
  static Numbered parse(String line) {
    String[] fields = line.split(" ", -1);
    return of(fields[0], fields[1]);
  }

  static Numbered of(String key, String data) {
    return new Numbered(key, Integer.parseInt(data));
  }

  String data() {
    return Integer.toString(number);
  }

  /** How many there are of each of the {@link #KEYS} at least. */
  static int ofEach(List<Numbered> read) {
    Map<String, Integer> counts = new HashMap<>();
    read.forEach(record -> counts.merge(record.key(), 1, Integer::sum));
    return counts.size() < KEYS ? 0 : Collections.min(counts.values());
  }

  /** Every number below {@code each} of every key, once, and in order within the key. */
  static void assertAllInOrder(List<Numbered> read, int keys, int each) {
    Map<String, List<Integer>> numbers = new TreeMap<>();
    for (Numbered record : read) {
      numbers.computeIfAbsent(record.key(), key -> new ArrayList<>()).add(record.number());
    }
    assertThat(numbers).hasSize(keys);
    List<Integer> all = IntStream.range(0, each).boxed().toList();
    numbers.forEach((key, ofKey) -> assertThat(ofKey).as(key).isEqualTo(all));
  }
}
