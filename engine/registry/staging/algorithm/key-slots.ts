/** Context variables (registry.md rule 3), which are neither user inputs nor outputs. */
export const CONTEXT_VERSION = 'ctx_alg_version'
export const CONTEXT_YEAR = 'ctx_year_current'

export function isContextKey(key: string): boolean {
  return key === CONTEXT_VERSION || key === CONTEXT_YEAR
}

/** Numbers the keys of an algorithm version in order of first use. Keys are never removed. */
export class KeySlots {
  readonly #slots = new Map<string, number>()
  readonly #keys: string[] = []

  /** Returns the number of a key. A new key gets the next number. */
  slotOf(key: string): number {
    const known = this.#slots.get(key)
    if (known !== undefined) return known
    const slot = this.#keys.length
    this.#slots.set(key, slot)
    this.#keys.push(key)
    return slot
  }

  find(key: string): number | undefined {
    return this.#slots.get(key)
  }

  get keys(): readonly string[] {
    return this.#keys
  }
}

/** One value per slot. Undefined means that the key is absent, null means that the key has no value. */
export type ContextValues = (string | null | undefined)[]
