package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/**
 * The Ed25519 key pair that signs admission passes. Kept as a PKCS #8 PEM text, as {@code openssl
 * genpkey -algorithm ed25519} writes it. Immutable.
 *
 * <p>Bouncy Castle signs: the JDK's own Ed25519 takes about fifteen times as long, which is what a
 * thousand people admitted at once would wait for.
 */
public final class PassKey {
  private static final String ALGORITHM = "Ed25519";
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final Ed25519PrivateKeyParameters privateKey;
  private final Ed25519PublicKeyParameters publicKey;
  private final String x;
  private final String id;

  private PassKey(Ed25519PrivateKeyParameters privateKey) {
    this.privateKey = privateKey;
    this.publicKey = privateKey.generatePublicKey();
    this.x = ENCODER.encodeToString(publicKey.getEncoded());
    this.id = thumbprint(x);
  }

  /** A new key. */
  public static PassKey generate() {
    return new PassKey(new Ed25519PrivateKeyParameters(new SecureRandom()));
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
      EdECPrivateKey key =
          (EdECPrivateKey)
              KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      return new PassKey(new Ed25519PrivateKeyParameters(key.getBytes().orElseThrow()));
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
    byte[] encoded;
    try {
      encoded =
          KeyFactory.getInstance(ALGORITHM)
              .generatePrivate(
                  new EdECPrivateKeySpec(NamedParameterSpec.ED25519, privateKey.getEncoded()))
              .getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK since 15 has " + ALGORITHM, e);
    }
    String body = Base64.getMimeEncoder(64, "\n".getBytes(UTF_8)).encodeToString(encoded);
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
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(true, privateKey);
    signer.update(message, 0, message.length);
    return signer.generateSignature();
  }

  boolean verify(byte[] message, byte[] signed) {
    Ed25519Signer verifier = new Ed25519Signer();
    verifier.init(false, publicKey);
    verifier.update(message, 0, message.length);
    return verifier.verifySignature(signed);
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
}
