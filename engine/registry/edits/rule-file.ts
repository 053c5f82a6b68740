import { basename } from 'node:path'
import { readTextFile } from '../../shared/input/text-file.ts'
import { errorIn } from '../error-in.ts'
import { type Condition, itemsOf, parseCondition } from '../rules/condition.ts'
import {
  type BlockForm,
  MAX_RULE_BYTES,
  parseBlocks,
  type RuleBlock,
} from '../rules/rule-blocks.ts'

/** A rule about several items. A tumor fails it if `when` is true or absent and `require` is false. */
export interface EditRule {
  /** Identifies the rule in the file, such as `E0010`. */
  readonly number: string
  readonly name: string
  /** Message with the error and its correction. */
  readonly message: string
  readonly when: Condition | undefined
  readonly require: Condition
  /** Ids of the items that the rule reads, each once and in order. */
  readonly items: readonly string[]
  /** Ids of the items whose value matters to the rule, not only whether they have one. */
  readonly asksForValue: readonly string[]
}

type Field = 'name' | 'when' | 'require' | 'message'

const FORM: BlockForm<Field> = {
  word: 'edit',
  fields: ['name', 'when', 'require', 'message'],
  required: ['name', 'require', 'message'],
}

/**
 * Reads the rule file of a registry.
 * @throws EngineError as readTextFile; bad_input, naming file, line and column
 */
export async function readRuleFile(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly rules: readonly EditRule[] }> {
  const text = await readTextFile(path, { maxBytes: MAX_RULE_BYTES, signal })
  try {
    return { text, rules: parseRules(text) }
  } catch (error) {
    throw errorIn(basename(path), error, ': ')
  }
}

/**
 * Parses rules in their order. Each has the fields `name`, `require` and `message`, and may have `when`.
 * @throws EngineError bad_input, naming line and column
 */
export const parseRules = (text: string): readonly EditRule[] => parseBlocks(text, FORM).map(ruleOf)

function ruleOf(block: RuleBlock<Field>): EditRule {
  const [name, message] = [block.sentence('name'), block.sentence('message')]
  const when = block.parsed('when', parseCondition)
  const require = block.parsed('require', parseCondition) as Condition
  const itemsIn = (isValue: boolean) =>
    [when, require].flatMap((part) => (part ? itemsOf(part, isValue) : []))
  return {
    number: block.number,
    name,
    message,
    when,
    require,
    items: [...new Set(itemsIn(false))],
    asksForValue: [...new Set(itemsIn(true))],
  }
}
