package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;

/**
 * The Ed25519 key pair that signs admission passes. Kept as a PKCS #8 PEM text, as {@code openssl
 * genpkey -algorithm ed25519} writes it. Immutable.
 */
public final class PassKey {
  private static final String ALGORITHM = "Ed25519";
  private static final int RAW_BYTES = 32;
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final PrivateKey privateKey;
  private final PublicKey publicKey;
  private final String x;
  private final String id;

  private PassKey(PrivateKey privateKey, PublicKey publicKey) {
    this.privateKey = privateKey;
    this.publicKey = publicKey;
    byte[] encoded = publicKey.getEncoded();
    this.x =
        ENCODER.encodeToString(
            Arrays.copyOfRange(encoded, encoded.length - RAW_BYTES, encoded.length));
    this.id = thumbprint(x);
  }

  /** A new key. */
  public static PassKey generate() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      return new PassKey(pair.getPrivate(), pair.getPublic());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK since 15 has " + ALGORITHM, e);
    }
  }

  /**
   * The key of a PKCS #8 PEM text.
   *
   * @throws IllegalArgumentException if {@code pem} isn't an Ed25519 private key
   */
  public static PassKey fromPem(String pem) {
    String text = pem.strip();
    if (!text.startsWith(BEGIN) || !text.endsWith(END)) {
      throw new IllegalArgumentException("the key of passes is no PEM text of a PKCS #8 key");
    }
    try {
      byte[] encoded =
          Base64.getMimeDecoder()
              .decode(text.substring(BEGIN.length(), text.length() - END.length()));
      PrivateKey privateKey =
          KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      return new PassKey(privateKey, publicKeyOf((EdECPrivateKey) privateKey));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IllegalArgumentException("the key of passes is no Ed25519 private key", e);
    }
  }

  /**
   * The key kept in {@code file}, made there first if there is none.
   *
   * @throws IOException if the file can't be read or written
   * @throws IllegalArgumentException if it holds something else
   */
  public static PassKey loadOrCreate(Path file) throws IOException {
    return fromPem(new PrivateFile(file).readOrCreate(() -> generate().toPem()));
  }

  /** The private key as PKCS #8 PEM text. */
  public String toPem() {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(UTF_8)).encodeToString(privateKey.getEncoded());
    return BEGIN + "\n" + body + "\n" + END + "\n";
  }

  /** The key's JWK thumbprint (RFC 7638), known as {@code kid}. */
  public String id() {
    return id;
  }

  /** The public key as a JWK (RFC 8037). */
  String toJwk() {
    return "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"EdDSA\",\"use\":\"sig\",\"kid\":\""
        + id
        + "\",\"x\":\""
        + x
        + "\"}";
  }

  byte[] sign(byte[] message) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(privateKey);
      signature.update(message);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key that passed its check can't sign", e);
    }
  }

  boolean verify(byte[] message, byte[] signed) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initVerify(publicKey);
      signature.update(message);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      // Malformed signatures throw rather than being answered with false.
      return false;
    }
  }

  /** The JDK offers no other way from a private key to its public one than generating it again. */
  private static PublicKey publicKeyOf(EdECPrivateKey privateKey) throws GeneralSecurityException {
    byte[] seed =
        privateKey
            .getBytes()
            .orElseThrow(() -> new IllegalArgumentException("the private key has no bytes"));
    KeyPairGenerator generator = KeyPairGenerator.getInstance(ALGORITHM);
    generator.initialize(NamedParameterSpec.ED25519, new GivenBytes(seed));
    KeyPair pair = generator.generateKeyPair();
    byte[] message = "sluice".getBytes(UTF_8);
    PassKey given = new PassKey(privateKey, pair.getPublic());
    if (!given.verify(message, given.sign(message))) {
      throw new IllegalStateException("this JDK doesn't generate Ed25519 keys from 32 bytes");
    }
    return pair.getPublic();
  }

  private static String thumbprint(String x) {
    try {
      byte[] members =
          ("{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" + x + "\"}").getBytes(UTF_8);
      return ENCODER.encodeToString(MessageDigest.getInstance("SHA-256").digest(members));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Gives the same bytes each time. */
  private static final class GivenBytes extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final byte[] given;

    GivenBytes(byte[] given) {
      this.given = given.clone();
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(given, 0, bytes, 0, bytes.length);
    }
  }
}
