/** The possible results of a comparison (multiple-primaries.md 1). */
export type MphOutcome = 'SINGLE_PRIMARY' | 'MULTIPLE_PRIMARIES' | 'QUESTIONABLE' | 'INVALID_INPUT'

/** A rule, as shown in results and groups. */
export interface RuleText {
  /** The step in the manuals. Empty in the two oldest groups, which have a single rule. */
  readonly step: string
  readonly question: string
  readonly reason: string
}

export interface AppliedRule extends RuleText {
  readonly notes: readonly string[]
  readonly examples: readonly string[]
}

/**
 * The result for two tumors, as plain, frozen JSON. Group and step are present only if both tumors are in the
 * same group. The applied rules are in the order of the group and end with the one that the step names. The list
 * is empty if no rule was applied.
 */
export interface MphResult {
  readonly result: MphOutcome
  readonly group_id?: string
  readonly group_name?: string
  readonly step?: string
  readonly reason: string
  readonly applied_rules: readonly AppliedRule[]
}

/** A group of rules, as returned by `/rest/mph/group/{id}`. Ranges are texts such as "C180-C189, C199". */
export interface MphGroup {
  readonly id: string
  readonly name: string
  readonly site_inclusions?: string
  readonly site_exclusions?: string
  readonly histology_inclusions?: string
  readonly histology_exclusions?: string
  readonly behavior_inclusions?: string
  readonly year_inclusions?: string
  readonly rules: readonly RuleText[]
}
