package dev.sluice.notifier;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * What a browser may do with the pages: run their own scripts and the ones written in them, talk to
 * this server, and nothing else; no other site may frame them.
 */
final class PageHeaders extends OncePerRequestFilter {
  private static final List<String> PAGES =
      List.of("index.html", "waiting.html", "seats.html", "operator.html", "console.html");
  private static final Pattern INLINE =
      Pattern.compile("<script(?: type=\"importmap\")?>(.*?)</script>", Pattern.DOTALL);

  private final String policy =
      "default-src 'self'; script-src 'self' "
          + String.join(" ", inlineScripts())
          + "; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none';"
          + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    response.setHeader("Content-Security-Policy", policy);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "same-origin");
    chain.doFilter(request, response);
  }

  /** The hashes of all scripts written in the pages, as a policy names them. */
  private static Set<String> inlineScripts() {
    Set<String> hashes = new TreeSet<>();
    for (String page : PAGES) {
      Matcher script = INLINE.matcher(read(page));
      while (script.find()) {
        hashes.add("'sha256-" + sha256(script.group(1)) + "'");
      }
    }
    return hashes;
  }

  private static String read(String page) {
    try (InputStream in = PageHeaders.class.getResourceAsStream("/static/" + page)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
