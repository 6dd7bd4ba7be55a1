package dev.sluice.api.problem;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * What the container itself refuses (bad requests, errors that no one caught), told as a {@link
 * Problem}. Replaces Jetty's pages, which would show more than is anyone's business.
 */
public final class ContainerErrors extends ErrorHandler {
  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    Problem problem = Problem.ofStatus(code);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.MEDIA_TYPE);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    if (problem.retryAfter() > 0) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, problem.retryAfter());
    }
    String path = request.getHttpURI().getPath();
    response.write(true, ByteBuffer.wrap(problem.toJson(path)), callback);
  }
}
