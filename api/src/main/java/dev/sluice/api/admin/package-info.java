/** What operators may ask and change, and who counts as one. */
package dev.sluice.api.admin;
