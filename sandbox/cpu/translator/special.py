"""Special registers as C++ expressions.

A grid is one cluster per block; there are four multiprocessors, of which block b runs on b mod 4.

Source: PTX ISA 9.0, chapter 10.
"""


def _dimensions() -> dict[str, str]:
    table = {}
    for axis in "xyz":
        table[f"%tid.{axis}"] = f"T->tid.{axis}"
        table[f"%ntid.{axis}"] = f"T->ntid->{axis}"
        table[f"%ctaid.{axis}"] = f"T->ctaid->{axis}"
        table[f"%nctaid.{axis}"] = f"T->nctaid->{axis}"
        table[f"%clusterid.{axis}"] = f"T->ctaid->{axis}"
        table[f"%nclusterid.{axis}"] = f"T->nctaid->{axis}"
        table[f"%cluster_ctaid.{axis}"] = "0u"
        table[f"%cluster_nctaid.{axis}"] = "1u"
    return table


_LANE = "(T->index & 31u)"

SPECIAL_REGISTERS = _dimensions() | {
    "%laneid": _LANE,
    "%warpid": "(T->index >> 5)",
    "%nwarpid": "64u",
    "%smid": "(T->ctaid->x & 3u)",
    "%nsmid": "4u",
    "%gridid": "0ull",
    "%lanemask_eq": f"(1u << {_LANE})",
    "%lanemask_le": f"((2u << {_LANE}) - 1u)",
    "%lanemask_lt": f"((1u << {_LANE}) - 1u)",
    "%lanemask_ge": f"~((1u << {_LANE}) - 1u)",
    "%lanemask_gt": f"~((2u << {_LANE}) - 1u)",
    "%clock": "u32(wc_clock())",
    "%clock_hi": "u32(wc_clock() >> 32)",
    "%clock64": "wc_clock()",
    "%globaltimer": "wc_clock()",
    "%globaltimer_lo": "u32(wc_clock())",
    "%globaltimer_hi": "u32(wc_clock() >> 32)",
    "%cluster_ctarank": "0u",
    "%cluster_nctarank": "1u",
    "%is_explicit_cluster": "false",
    "%dynamic_smem_size": "T->dynamic_bytes",
    "%total_smem_size": "T->shared_bytes",
    "%aggr_smem_size": "T->shared_bytes",
    "%reserved_smem_offset_0": "0u",
    "%current_graph_exec": "0ull",
    # A cooperative launch finds its grid barrier through these; zero tells it that there is none.
    "%envreg1": "(T->cooperative ? u32(wc_grid_workspace() >> 32) : 0u)",
    "%envreg2": "(T->cooperative ? u32(wc_grid_workspace()) : 0u)",
    "WARP_SZ": "32u",
}
