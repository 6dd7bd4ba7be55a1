/**
 * The admission calls: from bytes to a command, from the command's answer to bytes. {@link
 * dev.sluice.api.admission.AdmissionCalls} says what each call means, the servlet only carries it.
 */
package dev.sluice.api.admission;
