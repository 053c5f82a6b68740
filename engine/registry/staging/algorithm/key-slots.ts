/** Context variables (rule 3): never inputs of a user, never outputs. */
export const CONTEXT_VERSION = 'ctx_alg_version'
export const CONTEXT_YEAR = 'ctx_year_current'

export function isContextKey(key: string): boolean {
  return key === CONTEXT_VERSION || key === CONTEXT_YEAR
}

/** Numbers for the keys of one algorithm version, in order of their coming. Grows only. */
export class KeySlots {
  readonly #slots = new Map<string, number>()
  readonly #keys: string[] = []

  /** The key's number; a new key gets the next one. */
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

/** One value per slot: undefined is a key that is not there, null one without a value. */
export type ContextValues = (string | null | undefined)[]
