package dev.sluice.standalone;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** Brings in the tiers with HTTP whose role this process has. */
final class WebTiers implements ImportSelector, BeanFactoryAware {
  private Tiers tiers;

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    tiers = beanFactory.getBean(Tiers.class);
  }

  @Override
  public String[] selectImports(AnnotationMetadata importing) {
    List<String> configurations = new ArrayList<>();
    if (tiers.roles().contains(Role.API)) {
      configurations.add("dev.sluice.api.ApiConfiguration");
    }
    if (tiers.roles().contains(Role.NOTIFIER)) {
      configurations.add("dev.sluice.notifier.NotifierConfiguration");
    }
    configurations.removeIf(name -> !ClassUtils.isPresent(name, null));
    return configurations.toArray(String[]::new);
  }
}
