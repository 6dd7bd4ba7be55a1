package dev.sluice.notifier;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * How the pages and their scripts are served: kept by browsers, and fetched again when their
 * content has changed. The date of a file can't tell that, since a build that can be repeated gives
 * all files one date.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class PageResources implements WebMvcConfigurer {
  private static final int ETAG_BYTES = 12;

  private final Map<String, String> etags = new ConcurrentHashMap<>();

  @Override
  public void addResourceHandlers(ResourceHandlerRegistry registry) {
    registry
        .addResourceHandler("/**")
        .addResourceLocations("classpath:/static/")
        .setCacheControl(CacheControl.noCache())
        .setUseLastModified(false)
        .setEtagGenerator(this::etag);
  }

  @Override
  public void addViewControllers(ViewControllerRegistry registry) {
    registry.addViewController("/console").setViewName("forward:/console.html");
  }

  private String etag(Resource resource) {
    try {
      return etags.computeIfAbsent(resource.getURL().toString(), url -> etagOfContent(resource));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String etagOfContent(Resource resource) {
    try (InputStream content = resource.getInputStream()) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.readAllBytes());
      return "\"" + HexFormat.of().formatHex(digest, 0, ETAG_BYTES) + "\"";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
