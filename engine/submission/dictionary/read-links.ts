import { type EntityType, type Link, type LinkGroup, MULTIPLICITIES } from './entity-type.ts'
import type { YamlReader } from './yaml-reader.ts'

const LINK_KEYWORDS: ReadonlySet<string> = new Set([
  'name',
  'backref',
  'label',
  'target_type',
  'multiplicity',
  'required',
])
const GROUP_KEYWORDS: ReadonlySet<string> = new Set(['exclusive', 'required', 'subgroup'])

/** Reads the single and grouped links of a type. Each link must also be a property of the type. */
export function readLinks(
  list: YamlReader,
  properties: ReadonlyMap<string, unknown>,
): Pick<EntityType, 'links' | 'groups'> {
  const links = new Map<string, Link>()
  const groups: LinkGroup[] = []
  const add = (reader: YamlReader): Link => {
    const link = readLink(reader)
    if (links.has(link.name)) reader.report(`has the name of another link, ${link.name}`)
    if (!properties.has(link.name)) {
      reader.member('name').report(`is ${link.name}; use the name of a property of the type`)
    }
    links.set(link.name, link)
    return link
  }
  for (const item of list.items()) {
    if (!item.has('subgroup')) {
      add(item)
      continue
    }
    item.onlyMembers(GROUP_KEYWORDS)
    groups.push({
      exclusive: item.member('exclusive').flag(),
      required: item.member('required').flag(),
      links: item.member('subgroup').items().map(add),
    })
  }
  return { links, groups }
}

function readLink(link: YamlReader): Link {
  link.onlyMembers(LINK_KEYWORDS)
  return {
    name: link.member('name').text(),
    backref: link.member('backref').text(),
    label: link.member('label').text(),
    target: link.member('target_type').text(),
    // The default is only a placeholder: `word` has noted the problem.
    multiplicity: link.member('multiplicity').word(MULTIPLICITIES) ?? 'many_to_one',
    required: link.member('required').flag(),
  }
}
