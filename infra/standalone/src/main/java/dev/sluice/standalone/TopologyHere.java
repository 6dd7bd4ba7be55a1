package dev.sluice.standalone;

import dev.sluice.runtime.TopologyRuntime;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The topology, for tiers of the same process that report how it does. */
@Configuration(proxyBeanMethods = false)
class TopologyHere {
  @Bean(destroyMethod = "")
  TopologyRuntime topologyRuntime(Tiers tiers) {
    return tiers.topology();
  }
}
