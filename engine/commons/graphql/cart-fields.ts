/** Groups in a portal's cart, and the field of files that each is based on (portal.md 4.8). */
export const CART_FIELDS = Object.freeze(
  [
    ['project__project_id', 'cases.project.project_id'],
    ['project__primary_site', 'cases.project.primary_site'],
    ['access', 'access'],
    ['data_format', 'data_format'],
    ['data_type', 'data_type'],
    ['experimental_strategy', 'experimental_strategy'],
  ].map(([name = '', field = '']) => Object.freeze({ name, field })),
)
