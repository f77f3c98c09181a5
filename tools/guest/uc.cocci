// SPDX-License-Identifier: GPL-2.0-only
// ionic_rdma gives an address handle to RC queue pairs alone, but looks for one in
// each path that it sets (ionic_controlpath.c:ionic_modify_qp_cmd): a UC queue
// pair never gets to RTR.
@path@
identifier qp, attr;
@@
- qp->has_ah = attr->qp_type == IB_QPT_RC;
+ qp->has_ah = attr->qp_type == IB_QPT_RC || attr->qp_type == IB_QPT_UC;
