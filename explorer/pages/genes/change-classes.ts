/** Class of a mutation for drawing, by its effect on the protein. */
export type MutationClass = 'truncating' | 'altering' | 'other'

/** Class of a copy number change for drawing. */
type CopyClass = 'amplified' | 'gained' | 'lost' | 'deleted'

/**
 * Consequences with impact HIGH and MODERATE
 * (https://www.ensembl.org/info/genome/variation/prediction/predicted_data.html).
 */
const TRUNCATING = new Set([
  'transcript_ablation',
  'splice_acceptor_variant',
  'splice_donor_variant',
  'stop_gained',
  'frameshift_variant',
  'stop_lost',
  'start_lost',
  'transcript_amplification',
  'feature_elongation',
  'feature_truncation',
])
const ALTERING = new Set([
  'inframe_insertion',
  'inframe_deletion',
  'missense_variant',
  'protein_altering_variant',
])

/** Classes of mutations, most severe first. */
export const MUTATION_CLASSES: readonly MutationClass[] = ['truncating', 'altering', 'other']

export const COPY_CLASSES: readonly CopyClass[] = ['amplified', 'gained', 'lost', 'deleted']

export const CLASS_NAMES: Readonly<Record<MutationClass | CopyClass, string>> = {
  truncating: 'Truncating or splice site',
  altering: 'Missense or in frame',
  other: 'Other mutation',
  amplified: 'Amplification',
  gained: 'Gain',
  lost: 'Loss',
  deleted: 'Homozygous deletion',
}

/** Returns the most severe class among the consequences of a mutation. */
export function mutationClass(consequences: readonly string[]): MutationClass {
  if (consequences.some((one) => TRUNCATING.has(one))) return 'truncating'
  return consequences.some((one) => ALTERING.has(one)) ? 'altering' : 'other'
}

/** Returns the strongest class among copy number changes. Undefined if all are neutral or unknown. */
export function copyClass(changes: readonly string[]): CopyClass | undefined {
  const has = (pattern: RegExp) => changes.some((change) => pattern.test(change))
  if (has(/amplif/i)) return 'amplified'
  if (has(/homozygous|deep/i)) return 'deleted'
  if (has(/gain/i)) return 'gained'
  return has(/loss|deletion/i) ? 'lost' : undefined
}

/** Formats a consequence such as `missense_variant` for display. */
export const consequenceName = (type: string) => type.replace(/_variant$/, '').replaceAll('_', ' ')
