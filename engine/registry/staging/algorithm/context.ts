import { type ContextValues, isContextKey, type KeySlots } from './key-slots.ts'
import type { InputMap } from './result.ts'

/** Creates contexts; implemented by a compiled version. */
export interface ContextSource {
  readonly keys: KeySlots
  /** Returns a context with only the context variables. */
  freshContext(): ContextValues
}

/** Creates a context with the input and the context variables. */
export function contextOf(version: ContextSource, input: InputMap): ContextValues {
  const values = version.freshContext()
  for (const key of Object.keys(input)) {
    const slot = isContextKey(key) ? undefined : version.keys.find(key)
    if (slot !== undefined) values[slot] = input[key]
  }
  return values
}
