import type { EntityDocument } from './submitted.ts'

/** Type that represents a subject. Everything that comes from a subject links to its case. */
export const CASE = 'case'

/** The members of an entity that are needed for validating entities that link to it. */
export interface BareEntity {
  readonly id: string
  readonly projectId: string
  readonly type: string
  readonly submitterId: string | null
  readonly state: string
  readonly isCurrent: boolean
}

/** An entity as stored. */
export interface StoredEntity extends BareEntity {
  /** State of a file's data, or null if the entity is not a file. */
  readonly fileState: string | null
  readonly errorType: string | null
  /** All properties except those above and the links. */
  readonly properties: EntityDocument
  readonly createdAt: string
  readonly updatedAt: string
  readonly version: number
  readonly supersedes: string | null
}

/** A link from a child to a parent. */
export interface Edge {
  readonly child: string
  readonly link: string
  readonly parent: string
}

/** A link seen from the parent. */
export interface ChildEdge extends Edge {
  /** Type of the child. */
  readonly type: string
}

/** A reference such as a center. Operators register references, and entities of all projects link to them. */
export interface StoredReference {
  readonly id: string
  readonly type: string
  /** Code or name that identifies the reference among those of its type. */
  readonly name: string
  readonly properties: EntityDocument
}

/** A project that accepts submissions. */
export interface RegisteredProject {
  /** Program and code, joined by a hyphen. */
  readonly projectId: string
  readonly program: string
  readonly code: string
  /** Id of the project as a node of the graph. */
  readonly id: string
  readonly state: string
  readonly releasable: boolean
  readonly released: boolean
  /** Number of changes to the project and its entities, for optimistic locking. */
  readonly revision: number
}

/**
 * The part of the stored graph that a transaction needs: everything that its documents name by id or
 * submitter_id, all ancestors of that, and all children of possible parents. Plain data that can be sent to a
 * worker thread.
 */
export interface Graph {
  readonly project: RegisteredProject
  /** Entities that documents name, keyed by id, also of other projects in which the submitter has a right. */
  readonly entities: ReadonlyMap<string, StoredEntity>
  /** All other parents and ancestors, keyed by id. They are the largest part. */
  readonly above: ReadonlyMap<string, BareEntity>
  /** Ids in use by entities that the submitter may not know about. */
  readonly taken: ReadonlySet<string>
  /** Ids of the project's current entities, keyed by submitter_id. */
  readonly idsByName: ReadonlyMap<string, string>
  /** Links to parents of everything in `entities` and `above`. */
  readonly parents: ReadonlyMap<string, readonly Edge[]>
  /** Current children of all entities that the documents link to. */
  readonly children: ReadonlyMap<string, readonly ChildEdge[]>
  /** References that the documents may link to. */
  readonly references: readonly StoredReference[]
  /** Case names of the documents that are on the project's list of subjects, or undefined without a list. */
  readonly subjects?: ReadonlySet<string>
}

/** State of an entity that an operator removed from later releases (submission.md 13.1). */
export const REDACTED = 'redacted'

/** Returns whether some release contained the entity, possibly in an earlier state. */
export function wasReleased({ state, fileState, version }: StoredEntity): boolean {
  if (state === 'released' || state === REDACTED || fileState === 'released') return true
  // A new version of a file is a separate entity.
  return fileState === null && version > 1
}

/** Converts ASCII letters of a name to lower case, as both database dialects do. */
export function foldName(submitterId: string): string {
  return submitterId.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Returns whether an entity type is a file type, which has a state of its data (submission.md 4). */
export function isFileType({
  systemProperties,
}: {
  readonly systemProperties: ReadonlySet<string>
}): boolean {
  return systemProperties.has('file_state')
}
