/** A search result. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly detail: string
}

/** A searchable part of the registry. */
export interface Area {
  readonly name: string
  readonly title: string
  readonly searchPath: string
  readonly pathOf: (id: string) => string
  /** Returns the entries of a response. */
  readonly read: (answer: unknown) => readonly Entry[]
}

interface Published {
  readonly results?: readonly {
    readonly id: string
    readonly name: string
    readonly type?: string
  }[]
}

interface Product {
  readonly ndc: string
  readonly proprietary_name?: string
  readonly non_proprietary_name?: readonly string[]
}

interface Procedure {
  readonly hcpcs_code: string
  readonly description?: string
}

const publishedArea = (name: string, title: string): Area => ({
  name,
  title,
  searchPath: `/rest/${name}/latest`,
  pathOf: (id) => `/rest/${name}/latest/id/${encodeURIComponent(id)}`,
  read: (answer) =>
    ((answer as Published).results ?? []).map(({ id, name: called, type = '' }) => ({
      id,
      title: called,
      detail: type.toLowerCase().replaceAll('_', ' '),
    })),
})

/** All parts that the search box covers. */
export const AREAS: readonly Area[] = [
  publishedArea('rx', 'Drugs and regimens'),
  publishedArea('disease', 'Diseases'),
  publishedArea('glossary', 'Glossary'),
  {
    name: 'ndc',
    title: 'Drug products',
    searchPath: '/rest/ndc',
    pathOf: (id) => `/rest/ndc/code/${encodeURIComponent(id)}`,
    read: (answer) =>
      (answer as readonly Product[]).map(({ ndc, proprietary_name, non_proprietary_name }) => ({
        id: ndc,
        title: `${ndc} ${proprietary_name ?? ''}`,
        detail: (non_proprietary_name ?? []).join(', '),
      })),
  },
  {
    name: 'hcpcs',
    title: 'Procedures',
    searchPath: '/rest/hcpcs',
    pathOf: (id) => `/rest/hcpcs/code/${encodeURIComponent(id)}`,
    read: (answer) =>
      (answer as readonly Procedure[]).map(({ hcpcs_code, description }) => ({
        id: hcpcs_code,
        title: hcpcs_code,
        detail: description ?? '',
      })),
  },
]
