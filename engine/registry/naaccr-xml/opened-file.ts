import type { Definitions } from './dictionary.ts'
import type { FileHead, ItemFault, Patient } from './model.ts'

/** A file whose beginning was read: the root of NAACCR XML, or the first line of fixed columns. */
export interface OpenedFile {
  readonly head: FileHead
  readonly definitions: Definitions
  /** Before the names of the standard's own elements: empty, or it ends in a colon. */
  readonly prefix: string
  /**
   * Its patients, some at a time, as the file goes by. May be called once. Where it throws, all that were
   * whole have come.
   * @throws EngineError bad_input, naming line and path
   */
  patients(): AsyncGenerator<readonly Patient[]>
  /** Faults of items that are of no patient, once its patients went by. */
  rootFaults(): readonly ItemFault[]
  /** The line on which the patient behind those that came begins, as far as it is known. */
  nextLine(): number
  /** The text behind the last patient, once they went by; empty unless texts are kept. */
  rest(): string
}
