/** What a comparison can come to (multiple-primaries.md 1). */
export type MphOutcome = 'SINGLE_PRIMARY' | 'MULTIPLE_PRIMARIES' | 'QUESTIONABLE' | 'INVALID_INPUT'

/** A rule as results and groups have it. */
export interface RuleText {
  /** As the manuals number it; empty in the two oldest groups, which have one rule. */
  readonly step: string
  readonly question: string
  readonly reason: string
}

export interface AppliedRule extends RuleText {
  readonly notes: readonly string[]
  readonly examples: readonly string[]
}

/**
 * The answer about two tumours: plain, frozen JSON. Group and step are there only when both tumours
 * fell in the same group; applied rules are in the order of the group and end with the one that is
 * named by the step, except where no rule was asked.
 */
export interface MphResult {
  readonly result: MphOutcome
  readonly group_id?: string
  readonly group_name?: string
  readonly step?: string
  readonly reason: string
  readonly applied_rules: readonly AppliedRule[]
}

/** A group of rules as `/rest/mph/group/{id}` answers it; ranges are texts, "C180-C189, C199". */
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
