import type { EntityDocument } from './submitted.ts'

/** The type of what has the name of a subject, and that all of a subject is linked to. */
export const CASE = 'case'

/** What others are judged by that link to an entity, or are below it. */
export interface BareEntity {
  readonly id: string
  readonly projectId: string
  readonly type: string
  readonly submitterId: string | null
  readonly state: string
  readonly isCurrent: boolean
}

/** An entity as it is stored. */
export interface StoredEntity extends BareEntity {
  /** Of files alone. */
  readonly fileState: string | null
  readonly errorType: string | null
  /** All that is not named above, but for links. */
  readonly properties: EntityDocument
  readonly createdAt: string
  readonly updatedAt: string
  readonly version: number
  readonly supersedes: string | null
}

/** From a child to a parent. */
export interface Edge {
  readonly child: string
  readonly link: string
  readonly parent: string
}

/** A link as seen from the parent. */
export interface ChildEdge extends Edge {
  /** Of the child. */
  readonly type: string
}

/** What entities of all projects link to and operators register, such as a center. */
export interface StoredReference {
  readonly id: string
  readonly type: string
  /** The code or name that identifies it within its type. */
  readonly name: string
  readonly properties: EntityDocument
}

/** A project that entities are submitted to. */
export interface RegisteredProject {
  /** Program and code with a hyphen between them. */
  readonly projectId: string
  readonly program: string
  readonly code: string
  /** As a node of the graph. */
  readonly id: string
  readonly state: string
  readonly releasable: boolean
  readonly released: boolean
  /** Counts changes of the project and its entities. */
  readonly revision: number
}

/**
 * What a transaction needs of the stored graph, fetched beforehand: everything that its documents
 * name by id or submitter_id, all ancestors of that, and all children of what would get a child.
 * Plain data, so that a thread can judge by it.
 */
export interface Graph {
  readonly project: RegisteredProject
  /**
   * What documents name as their own or by an id, by id; where an id was given, also of other projects
   * that the submitter has a right on.
   */
  readonly entities: ReadonlyMap<string, StoredEntity>
  /** What else is a parent, or above one, by id: most of what has to be fetched. */
  readonly above: ReadonlyMap<string, BareEntity>
  /** Named ids of entities that the submitter may not know of. */
  readonly taken: ReadonlySet<string>
  /** Ids of current entities of the project by submitter_id. */
  readonly idsByName: ReadonlyMap<string, string>
  /** To their parents, of all that is in `entities` and `above`. */
  readonly parents: ReadonlyMap<string, readonly Edge[]>
  /** Current children, of all entities that links of the documents lead to. */
  readonly children: ReadonlyMap<string, readonly ChildEdge[]>
  /** That links of the documents may lead to. */
  readonly references: readonly StoredReference[]
  /** Of the names of cases in the documents those that the project takes; absent where it takes all. */
  readonly subjects?: ReadonlySet<string>
}

/** The state of what an operator took out of later releases (submission.md 13.1). */
export const REDACTED = 'redacted'

/** Whether a release has had an entity, as it is or before it was corrected. */
export function wasReleased({ state, fileState, version }: StoredEntity): boolean {
  if (state === 'released' || state === REDACTED || fileState === 'released') return true
  // A new version of a file is an entity of its own.
  return fileState === null && version > 1
}

/** A name in small letters: of ASCII alone, as both dialects of the database have it. */
export function foldName(submitterId: string): string {
  return submitterId.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether an entity type is one of files, which have a state of their own (submission.md 4). */
export function isFileType({
  systemProperties,
}: {
  readonly systemProperties: ReadonlySet<string>
}): boolean {
  return systemProperties.has('file_state')
}
