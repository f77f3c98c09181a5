# SPDX-License-Identifier: GPL-2.0
# The lab's targets; included by the top Makefile.

LAB := $(dir $(lastword $(MAKEFILE_LIST)))lab

.PHONY: lab-bootstrap lab-shell lab-test lab-down

# Everything that the lab's machines are made of; what is there is skipped.
lab-bootstrap:
	$(LAB) bootstrap all

# A shell in the host VM, module installed and loaded.  "make lab-down" ends it.
lab-shell:
	@$(LAB) status | grep -q 'host VM *up' || $(LAB) up
	@$(LAB) shell

lab-down:
	$(LAB) down

lab-test:
	$(dir $(LAB))test/lab-test.sh
