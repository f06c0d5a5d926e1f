package controller

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

const container = "app"

// The functions below set what is desired on what is there, and leave the rest:
// whoever replaces a whole spec also removes what the API server has set by
// default, and writes at every reconcile.

func childMeta(app *appv1alpha1.AppService) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}
}

func selectorLabels(app *appv1alpha1.AppService) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":      "appservice",
		"app.kubernetes.io/instance":  app.Name,
		"app.kubernetes.io/component": "app",
	}
}

// withLabels adds labels to those that are there.
func withLabels(labels, more map[string]string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, more)
	return labels
}

// childLabels are those of a child itself. A pod has the selector's alone.
func childLabels(app *appv1alpha1.AppService) map[string]string {
	return withLabels(selectorLabels(app), map[string]string{"app.kubernetes.io/managed-by": "app-operator"})
}

func mutateDeployment(app *appv1alpha1.AppService, deployment *appsv1.Deployment) {
	deployment.Labels = withLabels(deployment.Labels, childLabels(app))
	spec := &deployment.Spec
	spec.Replicas = new(app.Spec.Replicas)
	spec.Selector = &metav1.LabelSelector{MatchLabels: selectorLabels(app)}
	spec.Template.Labels = withLabels(spec.Template.Labels, selectorLabels(app))
	mutatePod(app, &spec.Template.Spec)
}

func mutatePod(app *appv1alpha1.AppService, pod *corev1.PodSpec) {
	if pod.SecurityContext == nil {
		pod.SecurityContext = &corev1.PodSecurityContext{}
	}
	pod.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}

	index := slices.IndexFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == container })
	if index < 0 {
		index = len(pod.Containers)
		pod.Containers = append(pod.Containers, corev1.Container{Name: container})
	}
	c := &pod.Containers[index]
	c.Image = app.Spec.Image
	c.Env = app.Spec.Env
	c.Ports = containerPorts(app.Spec.Ports)
	c.Resources = corev1.ResourceRequirements{}
	if app.Spec.Resources != nil {
		c.Resources = *app.Spec.Resources
	}
	if c.SecurityContext == nil {
		c.SecurityContext = &corev1.SecurityContext{}
	}
	c.SecurityContext.AllowPrivilegeEscalation = new(false)
}

func mutateService(app *appv1alpha1.AppService, service *corev1.Service) {
	service.Labels = withLabels(service.Labels, childLabels(app))
	spec := &service.Spec
	spec.Selector = selectorLabels(app)
	spec.Type = corev1.ServiceTypeClusterIP
	if slices.ContainsFunc(app.Spec.Ports, func(port corev1.ServicePort) bool { return port.NodePort != 0 }) {
		spec.Type = corev1.ServiceTypeNodePort
	}
	spec.Ports = servicePorts(app.Spec.Ports, spec.Ports, spec.Type)
}

// servicePorts completes the ports as the API server would, with the node ports
// that it has given them. Where there are several, each must have a name.
func servicePorts(wanted, existing []corev1.ServicePort, service corev1.ServiceType) []corev1.ServicePort {
	ports := slices.Clone(wanted)
	for i := range ports {
		port := &ports[i]
		port.Protocol = cmp.Or(port.Protocol, corev1.ProtocolTCP)
		if port.Name == "" && len(ports) > 1 {
			port.Name = fmt.Sprintf("%s-%d", strings.ToLower(string(port.Protocol)), port.Port)
		}
		if port.TargetPort == (intstr.IntOrString{}) {
			port.TargetPort = intstr.FromInt32(port.Port)
		}
		if service != corev1.ServiceTypeNodePort || port.NodePort != 0 {
			continue
		}
		for _, known := range existing {
			if known.Port == port.Port && known.Protocol == port.Protocol {
				port.NodePort = known.NodePort
			}
		}
	}
	return ports
}

// containerPorts are the ports that the Service leads to, each once. A target by
// name gets that name, with the number of the Service's port.
func containerPorts(ports []corev1.ServicePort) []corev1.ContainerPort {
	var found []corev1.ContainerPort
	for _, port := range ports {
		number, name := port.Port, ""
		switch {
		case port.TargetPort.Type == intstr.String:
			name = port.TargetPort.StrVal
		case port.TargetPort.IntVal != 0:
			number = port.TargetPort.IntVal
		}
		protocol := cmp.Or(port.Protocol, corev1.ProtocolTCP)
		index := slices.IndexFunc(found, func(known corev1.ContainerPort) bool {
			return known.ContainerPort == number && known.Protocol == protocol
		})
		if index < 0 {
			found = append(found, corev1.ContainerPort{ContainerPort: number, Protocol: protocol, Name: name})
		} else {
			found[index].Name = cmp.Or(found[index].Name, name)
		}
	}
	slices.SortFunc(found, func(a, b corev1.ContainerPort) int {
		return cmp.Or(cmp.Compare(a.ContainerPort, b.ContainerPort), cmp.Compare(a.Protocol, b.Protocol))
	})
	return found
}
