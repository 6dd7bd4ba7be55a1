package dev.sluice.api;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the description of this API; the tests hold every answer against it. */
@RestController
final class OpenApi {
  @GetMapping("/openapi.json")
  ResponseEntity<Resource> document() {
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .body(new ClassPathResource("dev/sluice/api/openapi.json"));
  }
}
