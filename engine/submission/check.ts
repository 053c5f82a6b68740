import { join } from 'node:path'
import type { Issue } from '../shared/issue.ts'
import type { LoadedDictionary } from './dictionary/loaded-dictionary.ts'
import { type DerivingContext, derivedOwners } from './publish/recorded-owners.ts'

/** Yields the problems of a custom dictionary. Tests check the built-in one. */
export async function* checkDictionary(dictionary: LoadedDictionary): AsyncGenerator<Issue> {
  if (!dictionary.isReplaced) return
  for (const { file, place, message } of await dictionary.issues()) {
    const subject = file === '' ? 'dictionary' : join('dictionary', file)
    yield { subject, problem: place === '' ? message : `${place}: ${message}` }
  }
}

/** Yields an issue for each stored file whose owner is unknown, since no project can replace such a file. */
export async function* checkOwners(context: DerivingContext): AsyncGenerator<Issue> {
  for await (const page of derivedOwners(context)) {
    for (const { id, owner, claimedBy } of page) {
      if (owner !== undefined) continue
      const problem = `nobody can be told to have stored it: an entity of project ${claimedBy} has its id, but not its data; delete the entity`
      yield { subject: id, problem }
    }
  }
}
