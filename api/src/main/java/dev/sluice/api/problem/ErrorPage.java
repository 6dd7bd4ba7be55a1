package dev.sluice.api.problem;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a servlet or filter gave up on, told as a {@link Problem}. */
@RestController
public final class ErrorPage implements ErrorController {
  @RequestMapping("${spring.web.error.path:/error}")
  ResponseEntity<byte[]> error(HttpServletRequest request) {
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    return status instanceof Integer code && code >= 400
        ? answer(Problem.ofStatus(code), path instanceof String text ? text : null)
        : answer(Problem.ofStatus(404), request.getRequestURI());
  }

  static ResponseEntity<byte[]> answer(Problem problem, String path) {
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(problem.status())
            .contentType(MediaType.APPLICATION_PROBLEM_JSON)
            .header(HttpHeaders.CACHE_CONTROL, "no-store");
    if (problem.retryAfter() > 0) {
      answer.header(HttpHeaders.RETRY_AFTER, Integer.toString(problem.retryAfter()));
    }
    return answer.body(problem.toJson(path));
  }
}
