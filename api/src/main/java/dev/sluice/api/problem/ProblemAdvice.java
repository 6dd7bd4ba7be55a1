package dev.sluice.api.problem;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Maps whatever ends a call of Spring MVC to a {@link Problem}, in this one place. */
@RestControllerAdvice
public final class ProblemAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

  @ExceptionHandler
  ResponseEntity<byte[]> handle(Throwable failure, HttpServletRequest request) {
    if (failure instanceof AsyncRequestNotUsableException) {
      return null;
    }
    Problem problem = problemOf(failure);
    ResponseEntity<byte[]> answer = ErrorPage.answer(problem, request.getRequestURI());
    if (failure instanceof HttpRequestMethodNotSupportedException wrong
        && wrong.getSupportedHttpMethods() != null) {
      HttpHeaders headers = new HttpHeaders();
      headers.putAll(answer.getHeaders());
      headers.setAllow(wrong.getSupportedHttpMethods());
      return new ResponseEntity<>(answer.getBody(), headers, answer.getStatusCode());
    }
    return answer;
  }

  private static Problem problemOf(Throwable failure) {
    if (failure instanceof CompletionException && failure.getCause() != null) {
      return problemOf(failure.getCause());
    }
    if (failure instanceof ProblemException known) {
      return known.problem();
    }
    if (failure instanceof MissingServletRequestParameterException missing) {
      return Problem.invalid(missing.getParameterName(), "is missing");
    }
    if (failure instanceof MethodArgumentTypeMismatchException mismatch) {
      return Problem.invalid(mismatch.getName(), "is not of the right kind");
    }
    if (failure instanceof ErrorResponse refused) {
      return Problem.ofStatus(refused.getStatusCode().value());
    }
    if (failure instanceof IOException && failure.getCause() instanceof TimeoutException) {
      return Problem.ofStatus(408);
    }
    LOG.error("A call failed for no foreseen reason", failure);
    return Problem.ofStatus(500);
  }
}
