/** What is done in the background through the queue, by the names that commands and metrics use. */
export const WORK_KINDS = Object.freeze(['block-directory', 'gene-order'] as const)

export type WorkKind = (typeof WORK_KINDS)[number]
