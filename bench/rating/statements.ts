/** Ways to find the prices of numbers with SQL. Each returns the IDs of the entries in the order of the numbers. */
import type { SqlConnection } from '@clarion/db';
import { prefixesOf } from '@clarion/core/rating/prefixes';

type Find = (
  connection: SqlConnection,
  deckId: number,
  numbers: readonly string[],
) => Promise<(number | null)[]>;

interface Found {
  id: number;
  rate: string;
}

const IN_FORCE = `"effectiveFrom" <= now() and ("effectiveTo" is null or "effectiveTo" > now())`;
const COLUMNS = `"id", "prefix", "rate", "connectionFee", "initialSeconds", "incrementSeconds"`;

const ONE_OF_PREFIXES = {
  name: 'one-of-prefixes',
  text: `select ${COLUMNS} from "RateEntry" where "deckId" = $1 and "prefix" = any ($2::text[]) and ${IN_FORCE}
    order by length("prefix") desc limit 1`,
};
/** Stops at the first that is found: the prefixes are in order, the longest first. */
const LONGEST_FIRST = {
  name: 'longest-first',
  text: `select e.* from unnest($2::text[]) as p("text") cross join lateral (
      select ${COLUMNS} from "RateEntry" where "deckId" = $1 and "prefix" = p."text" and ${IN_FORCE}) e limit 1`,
};
const OF_EACH = {
  name: 'of-each',
  text: `select e."id", e."rate" from unnest($2::text[]) with ordinality as n("digits", "place") left join lateral (
      select e.* from generate_series(15, 1, -1) as l cross join lateral (
        select ${COLUMNS} from "RateEntry" where "deckId" = $1 and "prefix" = left(n."digits", l) and ${IN_FORCE}) e limit 1) e on true
    order by n."place"`,
};
const JOINED = {
  name: 'joined',
  text: `select distinct on (n."place") e."id", e."rate"
    from unnest($2::text[]) with ordinality as n("digits", "place")
      left join (generate_series(1, 15) as l join "RateEntry" e on e."deckId" = $1 and length(e."prefix") = l and ${IN_FORCE})
        on e."prefix" = left(n."digits", l)
    order by n."place", length(e."prefix") desc nulls last`,
};

const oneByOne =
  (statement: { name: string; text: string }): Find =>
  async (connection, deckId, numbers) => {
    const ids: (number | null)[] = [];
    for (const digits of numbers) {
      const values = [deckId, prefixesOf(digits)];
      const { rows } = await connection.query<Found>({ ...statement, values });
      ids.push(rows[0]?.id ?? null);
    }
    return ids;
  };
const together =
  (statement: { name: string; text: string }): Find =>
  async (connection, deckId, numbers) => {
    const { rows } = await connection.query<Found>({ ...statement, values: [deckId, numbers] });
    return rows.map(({ id }) => id);
  };

export const waysInSql: Record<string, Find> = {
  'one statement a number, = any (prefixes)': oneByOne(ONE_OF_PREFIXES),
  'one statement a number, the longest prefix first': oneByOne(LONGEST_FIRST),
  'one statement for many numbers, the longest prefix of each first': together(OF_EACH),
  'one statement for many numbers, joined with all prefixes': together(JOINED),
};
