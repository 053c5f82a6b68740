import { isObject, type Json, type JsonObject } from '../../shared/input/json-value.ts'
import type { FieldTree, FieldType } from '../datasets/define.ts'
import { columnType, KINDS, kindOf } from '../render/columns.ts'
import type { LakeMember, LakeType } from './lake-type.ts'

/**
 * Records which declared fields occur in documents, whether they are lists, and which kinds of values they have.
 * The declared type does not say whether a field is a list.
 */
export class SeenFields {
  readonly #tree: FieldTree
  readonly #seen = new Map<string, SeenField>()

  constructor(tree: FieldTree) {
    this.#tree = tree
  }

  note(object: JsonObject): void {
    for (const name in object) {
      const value = object[name]
      if (value === undefined || value === null) continue
      const field = this.#seen.get(name) ?? this.#add(name)
      field?.note(value)
    }
  }

  /** Returns the fields in the order of their declaration. Fields that no document has are left out. */
  members(): readonly LakeMember[] {
    return Object.keys(this.#tree).flatMap((name) => {
      const type = this.#seen.get(name)?.type()
      return type ? [{ name, type }] : []
    })
  }

  #add(name: string): SeenField | undefined {
    const declared = Object.hasOwn(this.#tree, name) ? this.#tree[name] : undefined
    if (declared === undefined) return undefined
    const field = typeof declared === 'string' ? new SeenValues(declared) : new SeenGroup(declared)
    this.#seen.set(name, field)
    return field
  }
}

interface SeenField {
  note(value: Json): void
  /** Returns undefined if no value was seen. */
  type(): LakeType | undefined
}

class SeenValues implements SeenField {
  readonly #declared: FieldType
  #isList = false
  #kinds = 0

  constructor(declared: FieldType) {
    this.#declared = declared
  }

  note(value: Json): void {
    if (Array.isArray(value)) {
      this.#isList = true
      for (const item of value) this.#kinds |= kindsOf(item)
    } else this.#kinds |= kindsOf(value)
  }

  type(): LakeType | undefined {
    const item = { kind: columnType(this.#declared, this.#kinds) }
    return this.#isList ? { kind: 'list', item } : item
  }
}

/** Returns the kinds of a value. An object or a list in the place of a single value is stored as its JSON text. */
const kindsOf = (value: Json) =>
  value !== null && typeof value === 'object' ? KINDS.text : kindOf(value)

class SeenGroup implements SeenField {
  readonly #fields: SeenFields
  #isList = false

  constructor(declared: FieldTree) {
    this.#fields = new SeenFields(declared)
  }

  note(value: Json): void {
    if (Array.isArray(value)) {
      this.#isList = true
      for (const item of value) if (isObject(item)) this.#fields.note(item)
    } else if (isObject(value)) this.#fields.note(value)
  }

  type(): LakeType | undefined {
    const members = this.#fields.members()
    // A struct must have at least one member.
    if (members.length === 0) return undefined
    const item: LakeType = { kind: 'struct', members }
    return this.#isList ? { kind: 'list', item } : item
  }
}
