/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ernic

#if !defined(ERNIC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ERNIC_TRACE_H

#include <linux/tracepoint.h>

#include <ernic/dev.h>

TRACE_EVENT(ernic_doorbell,
	TP_PROTO(struct ernic_dev *edev, unsigned int page, unsigned int slot,
		 u32 qid, u16 p_index),
	TP_ARGS(edev, page, slot, qid, p_index),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, page)
		__field(u32, slot)
		__field(u32, qid)
		__field(u16, p_index)
	),
	TP_fast_assign(
		__entry->dev = edev->id;
		__entry->page = page;
		__entry->slot = slot;
		__entry->qid = qid;
		__entry->p_index = p_index;
	),
	TP_printk("dev=%u page=%u slot=%u qid=%u p_index=%u", __entry->dev,
		  __entry->page, __entry->slot, __entry->qid, __entry->p_index)
);

TRACE_EVENT(ernic_page,
	TP_PROTO(struct ernic_dev *edev, unsigned int page, const char *what),
	TP_ARGS(edev, page, what),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, page)
		__string(what, what)
	),
	TP_fast_assign(
		__entry->dev = edev->id;
		__entry->page = page;
		__assign_str(what);
	),
	TP_printk("dev=%u page=%u %s", __entry->dev, __entry->page,
		  __get_str(what))
);

DECLARE_EVENT_CLASS(ernic_command,
	TP_PROTO(struct ernic_dev *edev, u8 opcode, u8 status),
	TP_ARGS(edev, opcode, status),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u8, opcode)
		__field(u8, status)
	),
	TP_fast_assign(
		__entry->dev = edev->id;
		__entry->opcode = opcode;
		__entry->status = status;
	),
	TP_printk("dev=%u opcode=%u status=%u", __entry->dev, __entry->opcode,
		  __entry->status)
);

DEFINE_EVENT(ernic_command, ernic_devcmd,
	TP_PROTO(struct ernic_dev *edev, u8 opcode, u8 status),
	TP_ARGS(edev, opcode, status)
);

DEFINE_EVENT(ernic_command, ernic_adminq,
	TP_PROTO(struct ernic_dev *edev, u8 opcode, u8 status),
	TP_ARGS(edev, opcode, status)
);

TRACE_EVENT(ernic_tx,
	TP_PROTO(struct ernic_queue *q, u16 index, u32 len, u16 segs, int err),
	TP_ARGS(q, index, len, segs, err),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u16, queue)
		__field(u16, index)
		__field(u32, len)
		__field(u16, segs)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->dev = q->edev->id;
		__entry->queue = q->index;
		__entry->index = index;
		__entry->len = len;
		__entry->segs = segs;
		__entry->err = err;
	),
	TP_printk("dev=%u queue=%u index=%u len=%u segs=%u err=%d",
		  __entry->dev, __entry->queue, __entry->index, __entry->len,
		  __entry->segs, __entry->err)
);

TRACE_EVENT(ernic_rx,
	TP_PROTO(struct ernic_queue *q, u16 index, u32 len, int err),
	TP_ARGS(q, index, len, err),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u16, queue)
		__field(u16, index)
		__field(u32, len)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->dev = q->edev->id;
		__entry->queue = q->index;
		__entry->index = index;
		__entry->len = len;
		__entry->err = err;
	),
	TP_printk("dev=%u queue=%u index=%u len=%u err=%d", __entry->dev,
		  __entry->queue, __entry->index, __entry->len, __entry->err)
);

TRACE_EVENT(ernic_irq,
	TP_PROTO(struct ernic_dev *edev, unsigned int vec, u32 credits),
	TP_ARGS(edev, vec, credits),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u32, vec)
		__field(u32, credits)
	),
	TP_fast_assign(
		__entry->dev = edev->id;
		__entry->vec = vec;
		__entry->credits = credits;
	),
	TP_printk("dev=%u vec=%u credits=%u", __entry->dev, __entry->vec,
		  __entry->credits)
);

DECLARE_EVENT_CLASS(ernic_mem,
	TP_PROTO(struct ernic_dev *edev, u64 iova, u32 npage, int err),
	TP_ARGS(edev, iova, npage, err),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(u64, iova)
		__field(u32, npage)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->dev = edev->id;
		__entry->iova = iova;
		__entry->npage = npage;
		__entry->err = err;
	),
	TP_printk("dev=%u iova=0x%llx npage=%u err=%d", __entry->dev,
		  __entry->iova, __entry->npage, __entry->err)
);

DEFINE_EVENT(ernic_mem, ernic_pin,
	TP_PROTO(struct ernic_dev *edev, u64 iova, u32 npage, int err),
	TP_ARGS(edev, iova, npage, err)
);

DEFINE_EVENT(ernic_mem, ernic_unpin,
	TP_PROTO(struct ernic_dev *edev, u64 iova, u32 npage, int err),
	TP_ARGS(edev, iova, npage, err)
);

DEFINE_EVENT(ernic_command, ernic_rdma_admin,
	TP_PROTO(struct ernic_dev *edev, u8 opcode, u8 status),
	TP_ARGS(edev, opcode, status)
);

#endif /* ERNIC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
