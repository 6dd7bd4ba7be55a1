package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kinesis.http.HttpSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** One that nobody has signed but itself. */
final class Certificate {
  private static final String ALIAS = "self";
  private static final String PASSWORD = "secret";

  private Certificate() {}

  static HttpSettings.Tls make(Path directory) throws Exception {
    Path store = directory.resolve("store.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String options =
        "-genkeypair -alias %s -keyalg EC -groupname secp256r1 -dname CN=localhost -ext san=ip:127.0.0.1 -ext bc=ca:true -validity 2"
            + " -storetype PKCS12 -storepass %s -keystore";
    ProcessBuilder command =
        new ProcessBuilder((keytool + " " + options.formatted(ALIAS, PASSWORD)).split(" ", -1));
    command.command().add(store.toString());
    assertThat(command.inheritIO().start().waitFor()).isZero();

    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    return new HttpSettings.Tls(
        pem(directory, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
        pem(directory, "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
  }

  private static Path pem(Path directory, String label, byte[] der) throws Exception {
    String body = Base64.getMimeEncoder().encodeToString(der);
    return Files.writeString(
        directory.resolve(label + ".pem"),
        "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(label, body));
  }
}
