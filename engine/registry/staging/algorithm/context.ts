import { type ContextValues, isContextKey, type KeySlots } from './key-slots.ts'
import type { InputMap } from './result.ts'

/** What makes contexts: a compiled version. */
export interface ContextSource {
  readonly keys: KeySlots
  /** A context that holds the context variables alone. */
  freshContext(): ContextValues
}

/** The input's values beside the context variables. */
export function contextOf(version: ContextSource, input: InputMap): ContextValues {
  const values = version.freshContext()
  for (const key of Object.keys(input)) {
    const slot = isContextKey(key) ? undefined : version.keys.find(key)
    if (slot !== undefined) values[slot] = input[key]
  }
  return values
}
