# SPDX-License-Identifier: GPL-2.0-only
# ernic: build, install, test.  "make help" lists the targets; Kbuild is for the
# kernel's build system.

KVER ?= $(shell uname -r)
KERNELDIR ?= /lib/modules/$(KVER)/build
DESTDIR ?=
BENCH_OUT ?= build

NAME := $(shell sed -n 's/^PACKAGE_NAME="\(.*\)"/\1/p' dkms.conf)
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
DKMS_SRC := $(DESTDIR)/usr/src/$(NAME)-$(VERSION)
DKMS_PARTS := Kbuild Makefile dkms.conf COPYING include drivers
RELEASE = $(shell cat $(KERNELDIR)/include/config/kernel.release 2>/dev/null)
MODDIR = $(DESTDIR)/lib/modules/$(RELEASE)/updates/ernic

.PHONY: help modules install uninstall dkms-install dkms-remove clean demo \
	check check-full bench docs style

help:
	@echo 'On this machine:'
	@echo '  modules        build ernic_host.ko for KERNELDIR ($(KERNELDIR))'
	@echo '  install        ... and copy it below /lib/modules (DESTDIR= is honoured)'
	@echo '  uninstall      remove what install copied'
	@echo '  dkms-install   register, build and install with DKMS'
	@echo '  dkms-remove    undo dkms-install'
	@echo 'In virtual machines (root and apt; no hardware, no /dev/kvm):'
	@echo '  demo           two guests with a stock ionic driver and RDMA, from nothing'
	@echo '  check          all tests;   one group: tools/testing/run GROUP...'
	@echo '  check-full     ... on more kernels, and the lab's own tests'
	@echo '  bench          numbers beside vhost-net, e1000e and rxe, to $$BENCH_OUT/bench*.json'
	@echo '  lab-shell      a shell in the host VM;   lab-down: power it off'
	@echo 'For administrators of InfiniBand fabrics, on its own:'
	@echo '  fabric         ernic-fabric;   fabric-install: with its man page, below $$(PREFIX)'
	@echo 'Source:'
	@echo '  docs           HTML from Documentation/, to build/docs'
	@echo '  style          checkpatch, sparse, shellcheck, cppcheck, clang-tidy'
	@echo '  clean          remove what was built here (not the cache of the lab)'

# ---- the module --------------------------------------------------------------

.PHONY: need-kerneldir
need-kerneldir:
	@[ -e $(KERNELDIR)/Makefile ] || { \
		echo 'no kernel headers in $(KERNELDIR):' >&2; \
		echo '  apt-get install linux-headers-$(KVER), or set KERNELDIR=' >&2; \
		exit 1; }

modules: need-kerneldir
	$(MAKE) -C $(KERNELDIR) M=$(CURDIR) modules

install: modules
	install -D -m 644 -t $(MODDIR) drivers/ernic/ernic_host.ko $(wildcard drivers/ernic/ernic_kvm.ko)
	$(if $(DESTDIR),,depmod $(RELEASE))

uninstall:
	rm -f $(MODDIR)/ernic_host.ko $(MODDIR)/ernic_kvm.ko
	-rmdir $(MODDIR) 2>/dev/null
	$(if $(DESTDIR),,depmod $(RELEASE))

dkms-install:
	@command -v dkms >/dev/null || { echo 'dkms is not installed: apt-get install dkms' >&2; exit 1; }
	rm -rf $(DKMS_SRC)
	mkdir -p $(DKMS_SRC)
	tar -cf - --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
		--exclude='*.cmd' $(DKMS_PARTS) | tar -C $(DKMS_SRC) -xf -
	dkms add -m $(NAME) -v $(VERSION)
	dkms build -m $(NAME) -v $(VERSION) -k $(KVER)
	dkms install -m $(NAME) -v $(VERSION) -k $(KVER)

dkms-remove:
	dkms remove -m $(NAME) -v $(VERSION) --all
	rm -rf $(DKMS_SRC)

clean:
	@[ ! -e build/lab/vm ] || tools/lab/lab down
	find Kbuild drivers include kunit -name '*.o' -o -name '*.ko' -o -name '*.mod' \
		-o -name '*.mod.c' -o -name '*.cmd' -o -name modules.order \
		-o -name Module.symvers 2>/dev/null | xargs -r rm -f
	rm -f modules.order Module.symvers .*.cmd
	[ ! -e tools/ernic-fabric ] || $(MAKE) -s -C tools/ernic-fabric clean
	rm -rf build

# ---- user space ---------------------------------------------------------------

.PHONY: fabric fabric-install
fabric:
	$(MAKE) -C tools/ernic-fabric

fabric-install:
	$(MAKE) -C tools/ernic-fabric install

# ---- virtual machines --------------------------------------------------------

# not part of the sources that DKMS has
-include tools/lab/lab.mk

demo:
	@tools/lab/demo

check:
	@tools/testing/run

check-full:
	@ERNIC_FULL=1 ERNIC_GROUP_TIMEOUT=$${ERNIC_GROUP_TIMEOUT:-36000} tools/testing/run
	@tools/lab/test/lab-test.sh

bench:
	@BENCH_OUT='$(BENCH_OUT)' tools/bench/bench
	@BENCH_OUT='$(BENCH_OUT)' tools/bench/rdma

# ---- source ------------------------------------------------------------------

docs:
	@tools/need python3-sphinx gnuplot-nox
	mkdir -p build
	gnuplot -e "out='build/sweep.svg'" Documentation/sweep.gp
	sphinx-build -q -W --keep-going -b html Documentation build/docs
	@echo 'build/docs/index.html'

style:
	@tools/testing/groups/static
