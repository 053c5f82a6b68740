import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import PACKAGE from '../package.json' with { type: 'json' }

// Prints the section of CHANGELOG.md for the version of a tag: `npm run release-notes -- v0.1.0`.

const HEADING = /^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$/

interface Section {
  readonly name: string
  readonly date: string | undefined
  readonly text: string
}

/** Sections of a changelog, in their order. */
export function sectionsOf(changelog: string): readonly Section[] {
  const [, ...parts] = changelog.split(/^(?=## )/m)
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    const [, name, date] = HEADING.exec(heading) ?? []
    if (name === undefined) {
      throw new Error(`CHANGELOG.md has "${heading}"; write "## [version] - YYYY-MM-DD"`)
    }
    return { name, date, text: lines.join('\n').trim() }
  })
}

/**
 * The section of a tag's version.
 * @throws Error where tag, package and changelog do not go together
 */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) {
    throw new Error(`the tag is "${tag}" and package.json has ${version}; tag "v${version}"`)
  }
  const sections = sectionsOf(changelog)
  const unreleased = sections.find(({ name }) => name === 'Unreleased')
  if (unreleased?.text !== '') {
    throw new Error(`CHANGELOG.md has [Unreleased] with lines, or none; move them to [${version}]`)
  }
  const section = sections.find(({ name }) => name === version)
  if (!section?.text) throw new Error(`CHANGELOG.md says nothing of ${version}; add [${version}]`)
  if (section.date === undefined) {
    throw new Error(`CHANGELOG.md has [${version}] without a date; write "## [${version}] - DATE"`)
  }
  return section.text
}

if (import.meta.main) {
  const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
  try {
    console.log(releaseNotes(process.argv[2] ?? '', PACKAGE.version, changelog))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
