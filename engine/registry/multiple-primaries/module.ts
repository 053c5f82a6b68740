import type { Missing, Unclear } from './answer.ts'
import type { Diagnosis } from './diagnosis.ts'
import type { Group } from './groups.ts'
import type { HematopoieticTables } from './hematopoietic-tables.ts'
import { missingReason } from './reasons.ts'
import type { AppliedRule, MphGroup, MphResult } from './result.ts'
import type { Outcome, Rule } from './rule.ts'

/** The rules of a group, with all answers that do not depend on a pair prepared. */
export class Module {
  readonly id: string
  readonly name: string
  readonly #group: Group
  readonly #hematopoietic: HematopoieticTables
  #compiled: readonly CompiledRule[] | undefined

  constructor(group: Group, hematopoietic: HematopoieticTables) {
    this.id = group.id
    this.name = group.name
    this.#group = group
    this.#hematopoietic = hematopoietic
  }

  /** The rules are compiled on first use. Compiling those of all groups at once would take 40 ms. */
  get #rules(): readonly CompiledRule[] {
    if (this.#compiled) return this.#compiled
    const rules = this.#group.rules(this.#hematopoietic)
    const texts = rules.map(textOf)
    this.#compiled = rules.map((rule, i) =>
      compileRule(rule, Object.freeze(texts.slice(0, i + 1)), this.#group),
    )
    return this.#compiled
  }

  /**
   * Applies the rules in order (multiple-primaries.md 4). A rule that cannot be decided because data are missing
   * raises a doubt. If a later rule decides, and has the same outcome that the doubtful rule could have had,
   * this is the result. Otherwise the result is QUESTIONABLE.
   */
  decide(one: Diagnosis, other: Diagnosis): MphResult {
    let doubt: Doubt | undefined
    for (const rule of this.#rules) {
      const answer = rule.when(one, other)
      if (typeof answer === 'string') {
        const outcome = rule.outcomeOf(one, other)
        if (doubt === undefined) doubt = { rule, outcome, missing: answer }
        else if (doubt.outcome !== outcome) break
        continue
      }
      const result = rule.resultOf(answer, one, other)
      if (result === undefined) continue
      if (doubt === undefined || doubt.outcome === result.result) return result
      break
    }
    if (doubt === undefined) throw new Error(`the rules of ${this.id} did not decide`)
    return doubt.rule.questionable(missingReason(doubt.missing, doubt.rule.step, this.name))
  }

  describe(): MphGroup {
    const { id, name, sites, histologies, notHistologies, behaviors, years } = this.#group
    return {
      id,
      name,
      ...(sites === undefined ? {} : { site_inclusions: sites }),
      ...(histologies === undefined ? {} : { histology_inclusions: histologies }),
      ...(notHistologies === undefined ? {} : { histology_exclusions: notHistologies }),
      behavior_inclusions: behaviors,
      year_inclusions: years,
      rules: this.#rules.map(({ text: { step, question, reason } }) => ({
        step,
        question,
        reason,
      })),
    }
  }
}

interface Doubt {
  readonly rule: CompiledRule
  readonly outcome: Outcome
  readonly missing: Missing
}

interface CompiledRule {
  readonly step: string
  readonly text: AppliedRule
  readonly when: Rule['when']
  /** Returns the outcome of the rule if it holds. */
  readonly outcomeOf: (one: Diagnosis, other: Diagnosis) => Outcome
  /** Returns the result if the rule decides. Undefined to continue with the next rule. */
  readonly resultOf: (
    answer: boolean | Unclear,
    one: Diagnosis,
    other: Diagnosis,
  ) => MphResult | undefined
  readonly questionable: (reason: string) => MphResult
}

function compileRule(rule: Rule, applied: readonly AppliedRule[], group: Group): CompiledRule {
  const { step, means, otherwise } = rule
  const decided = (result: MphResult['result'], reason: string): MphResult =>
    Object.freeze({
      result,
      group_id: group.id,
      group_name: group.name,
      step,
      reason,
      applied_rules: applied,
    })
  const questionable = (reason: string) => decided('QUESTIONABLE', reason)
  const outcomeOf = typeof means === 'string' ? () => means : means
  const finals = {
    SINGLE_PRIMARY: decided('SINGLE_PRIMARY', rule.because),
    MULTIPLE_PRIMARIES: decided('MULTIPLE_PRIMARIES', rule.because),
  }
  const ifNot = otherwise ? decided(otherwise.means, otherwise.because) : undefined
  return {
    step,
    text: applied[applied.length - 1] ?? textOf(rule),
    when: rule.when,
    outcomeOf,
    resultOf: (answer, one, other) => {
      if (answer === true) return finals[outcomeOf(one, other)]
      return answer === false ? ifNot : questionable(answer.because(one, other))
    },
    questionable,
  }
}

function textOf({ step, asks, because, notes = [], examples = [] }: Rule): AppliedRule {
  return Object.freeze({
    step,
    question: asks,
    reason: because,
    notes: Object.freeze([...notes]),
    examples: Object.freeze([...examples]),
  })
}
