package dev.sluice.standalone;

import dev.sluice.api.ApiConfiguration;
import dev.sluice.notifier.NotifierConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/** Brings in what the roles of this process need of Spring, and nothing of the others. */
final class RoleConfigurations implements ImportSelector, BeanFactoryAware {
  private Set<Role> roles;

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    roles = beanFactory.getBean(Tiers.class).roles();
  }

  @Override
  public String[] selectImports(AnnotationMetadata importing) {
    List<Class<?>> configurations = new ArrayList<>();
    if (roles.contains(Role.TOPOLOGY)) {
      configurations.add(TopologyHere.class);
    }
    if (roles.contains(Role.API)) {
      configurations.add(ApiConfiguration.class);
    }
    if (roles.contains(Role.NOTIFIER)) {
      configurations.add(NotifierConfiguration.class);
    }
    return configurations.stream().map(Class::getName).toArray(String[]::new);
  }
}
