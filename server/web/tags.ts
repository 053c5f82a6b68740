/** Sections of the API page, in order. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] =
  Object.freeze([
    {
      name: 'search',
      description: 'Cases, files, genes, mutations and their occurrences: filter, count, page',
    },
    { name: 'download', description: 'Bytes of files, manifests, and archives of tables of cases' },
    { name: 'slicing', description: 'Regions and genes of BAM files' },
    {
      name: 'analysis',
      description: 'Survival, mutation counts, expression and single cells of a cohort',
    },
    { name: 'ga4gh', description: 'Files as objects of the Data Repository Service' },
    { name: 'versions', description: 'Earlier and later versions of files' },
    {
      name: 'submission',
      description:
        'Projects, entities and files that are submitted, and the dictionary they follow',
    },
    {
      name: 'staging',
      description: 'Cancer registry: algorithms, schemas and tables; the stage of a case',
    },
    { name: 'mph', description: 'Cancer registry: whether tumours are one primary or several' },
    { name: 'recode', description: 'Cancer registry: codes of a case as groups for statistics' },
    { name: 'disease', description: 'Cancer registry: haematopoietic diseases and solid tumours' },
    { name: 'rx', description: 'Cancer registry: drugs and regimens' },
    { name: 'ndc', description: 'Cancer registry: drug products by National Drug Code' },
    { name: 'hcpcs', description: 'Cancer registry: procedures by HCPCS code' },
    { name: 'surgery', description: 'Cancer registry: codes of surgery by year and site' },
    { name: 'naaccr', description: 'Cancer registry: the items of registry files, by version' },
    { name: 'glossary', description: 'Cancer registry: terms and what they mean' },
    { name: 'system', description: 'Status, health, metrics, pages and this document' },
  ])
