package dev.sluice.kinesis.http;

import dev.sluice.kinesis.call.AnswerMemory;
import dev.sluice.kinesis.call.CallMeters;
import dev.sluice.kinesis.call.Operations;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Listens on one port: HTTP/1.1 and HTTP/2, in clear text by prior knowledge, or over TLS as the
 * client chooses. Thread-safe.
 */
public final class KinesisServer implements AutoCloseable {
  private static final int THREADS = 64;
  private static final int HEADER_BYTES = 16 << 10;
  private static final int STREAMS_A_CONNECTION = 256;
  private static final int ACCEPT_QUEUE = 1024;

  /** As ALPN spells it; Jetty's own name has capitals, which no client offers. */
  private static final String NEGOTIATED_HTTP_1 = "http/1.1";

  private final HttpSettings settings;
  private final KinesisHandler handler;
  private final Server server;
  private final ServerConnector connector;

  /**
   * @param clock that signatures are compared with
   * @param memory that answers hold until they are sent
   * @param meters of all calls
   * @throws IllegalArgumentException if the certificate can't be used
   */
  public KinesisServer(
      HttpSettings settings,
      Operations operations,
      Clock clock,
      AnswerMemory memory,
      CallMeters meters) {
    this.settings = settings;
    QueuedThreadPool threads = new QueuedThreadPool(THREADS);
    threads.setName("kinesis");
    server = new Server(threads);
    connector = new ServerConnector(server, 1, -1, factories(settings));
    connector.setHost(settings.host());
    connector.setPort(settings.port());
    connector.setIdleTimeout(settings.idle().toMillis());
    connector.setAcceptQueueSize(ACCEPT_QUEUE);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(settings.connections(), connector));
    handler = new KinesisHandler(settings, operations, clock, memory, meters);
    server.setHandler(handler);
    // What Jetty itself refuses is none of AWS's protocol: its status is all there is to say.
    server.setErrorHandler(
        (request, response, callback) -> {
          response.write(true, null, callback);
          return true;
        });
  }

  private static ConnectionFactory[] factories(HttpSettings settings) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setHeaderCacheCaseSensitive(true);
    HttpConnectionFactory http1 = new HttpConnectionFactory(http);
    HTTP2CServerConnectionFactory prior = new HTTP2CServerConnectionFactory(http);
    prior.setMaxConcurrentStreams(STREAMS_A_CONNECTION);
    if (settings.tls() == null) {
      return new ConnectionFactory[] {http1, prior};
    }
    HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(http);
    http2.setMaxConcurrentStreams(STREAMS_A_CONNECTION);
    ALPNServerConnectionFactory alpn =
        new ALPNServerConnectionFactory(http2.getProtocol(), NEGOTIATED_HTTP_1);
    alpn.setDefaultProtocol(NEGOTIATED_HTTP_1);
    SslContextFactory.Server ssl = new SslContextFactory.Server();
    byte[] password = new byte[16];
    new SecureRandom().nextBytes(password);
    String text = HexFormat.of().formatHex(password);
    ssl.setKeyStore(PemFiles.read(settings.tls(), text.toCharArray()));
    ssl.setKeyStorePassword(text);
    // AWS's client for Java doesn't negotiate: it speaks HTTP/2 over TLS by prior knowledge, too.
    return new ConnectionFactory[] {
      new SslConnectionFactory(ssl, alpn.getProtocol()), alpn, http2, http1, prior
    };
  }

  /**
   * Begins to listen.
   *
   * @throws IOException if it can't, for instance because the port is taken
   */
  public void start() throws IOException {
    try {
      server.start();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("the endpoint can't listen at " + settings, e);
    }
  }

  /** The port it listens on. */
  public int port() {
    return connector.getLocalPort();
  }

  /** Ends subscriptions, connections and threads. */
  @Override
  public void close() {
    handler.streams.forEach(stream -> stream.abort(new ClosedChannelException()));
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the endpoint didn't stop", e);
    }
  }
}
