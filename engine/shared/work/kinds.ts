/** Kinds of background tasks, named as in commands and metrics. */
export const WORK_KINDS = Object.freeze(['block-directory', 'gene-order'] as const)

export type WorkKind = (typeof WORK_KINDS)[number]
