package dev.sluice.bench.push;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.simp.SimpMessagingTemplate;
import org.springframework.messaging.simp.broker.SimpleBrokerMessageHandler;
import org.springframework.messaging.simp.config.ChannelRegistration;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.messaging.simp.stomp.StompCommand;
import org.springframework.messaging.simp.stomp.StompHeaderAccessor;
import org.springframework.messaging.support.ExecutorChannelInterceptor;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;
import org.springframework.web.socket.server.standard.StandardWebSocketUpgradeStrategy;
import org.springframework.web.socket.server.support.DefaultHandshakeHandler;

/**
 * What one would take first: Spring's simple broker on Tomcat, told by its messaging template. No
 * sessions, ownership or versions; only destinations.
 */
final class SpringPushes implements Pushes {
  private final SimpMessagingTemplate template;

  private SpringPushes(SimpMessagingTemplate template) {
    this.template = template;
  }

  static SpringPushes in(ApplicationContext context) {
    return new SpringPushes(
        context.getBean("brokerMessagingTemplate", SimpMessagingTemplate.class));
  }

  /** The body of a timeout. */
  record Timeout(
      String type,
      String status,
      String reason,
      String roomId,
      String requestId,
      String version,
      String timestamp) {}

  /** The body of figures. */
  record Stats(
      String type,
      String roomId,
      long totalWaiting,
      long active,
      int capacity,
      String state,
      String timestamp) {}

  @Override
  public void tellPerson(int person, long stamp) {
    String name = Pushes.person(person);
    template.convertAndSend(
        "/topic/timeout/" + name,
        new Timeout(
            "timeout",
            "EXPIRED",
            Long.toString(stamp),
            ROOM,
            name,
            "0:1:0",
            "2026-11-30T00:00:00.000Z"));
  }

  @Override
  public void tellAll(long stamp) {
    template.convertAndSend(
        "/topic/stats/" + ROOM,
        new Stats("stats", ROOM, stamp, 200, 200, "OPEN", "2026-11-30T00:00:00.000Z"));
  }

  /** The broker as its documentation sets it up. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableWebSocketMessageBroker
  static class Broker implements WebSocketMessageBrokerConfigurer {
    private final BeanFactory beans;

    Broker(BeanFactory beans) {
      this.beans = beans;
    }

    /** The simple broker confirms nothing by itself; that is what the measurements go by. */
    @Override
    public void configureClientInboundChannel(ChannelRegistration registration) {
      registration.interceptors(
          new ExecutorChannelInterceptor() {
            @Override
            public void afterMessageHandled(
                Message<?> message, MessageChannel channel, MessageHandler handler, Exception e) {
              if (handler instanceof SimpleBrokerMessageHandler && e == null) {
                confirm(message);
              }
            }
          });
    }

    private void confirm(Message<?> message) {
      StompHeaderAccessor asked =
          MessageHeaderAccessor.getAccessor(message, StompHeaderAccessor.class);
      if (asked != null && asked.getReceipt() != null) {
        StompHeaderAccessor receipt = StompHeaderAccessor.create(StompCommand.RECEIPT);
        receipt.setReceiptId(asked.getReceipt());
        receipt.setSessionId(asked.getSessionId());
        beans
            .getBean("clientOutboundChannel", MessageChannel.class)
            .send(MessageBuilder.createMessage(new byte[0], receipt.getMessageHeaders()));
      }
    }

    @Override
    public void configureMessageBroker(MessageBrokerRegistry registry) {
      registry.enableSimpleBroker("/topic");
    }

    @Override
    public void registerStompEndpoints(StompEndpointRegistry registry) {
      // Said, since Jetty is there too.
      registry
          .addEndpoint("/ws")
          .setHandshakeHandler(new DefaultHandshakeHandler(new StandardWebSocketUpgradeStrategy()));
    }

    @Bean
    TomcatServletWebServerFactory container() {
      return new TomcatServletWebServerFactory();
    }
  }

  /** The same with a cache that holds every destination. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableWebSocketMessageBroker
  static class Cached extends Broker {
    private static final int DESTINATIONS = 100_000;

    Cached(BeanFactory beans) {
      super(beans);
    }

    @Override
    public void configureMessageBroker(MessageBrokerRegistry registry) {
      super.configureMessageBroker(registry);
      registry.setCacheLimit(DESTINATIONS);
    }
  }
}
