package dev.sluice.kinesis.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A certificate and its key, out of PEM files. */
final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private PemFiles() {}

  /**
   * @throws IllegalArgumentException if they can't be read, are of another form or aren't a pair
   */
  static KeyStore read(HttpSettings.Tls tls, char[] password) {
    try {
      Certificate[] chain = chain(tls.certificate());
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("server", key(tls.key(), chain[0]), password, chain);
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the certificate %s and key %s can't be used: %s"
              .formatted(tls.certificate(), tls.key(), e.getMessage()),
          e);
    }
  }

  private static Certificate[] chain(Path file) throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      List<Certificate> chain =
          List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
      if (chain.isEmpty()) {
        throw new GeneralSecurityException("no certificate in " + file);
      }
      return chain.toArray(Certificate[]::new);
    }
  }

  private static PrivateKey key(Path file, Certificate certificate)
      throws IOException, GeneralSecurityException {
    Matcher pem = KEY.matcher(Files.readString(file, US_ASCII));
    if (!pem.find()) {
      throw new InvalidKeySpecException("no unencrypted PKCS #8 key (BEGIN PRIVATE KEY)");
    }
    byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
    return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(der));
  }
}
