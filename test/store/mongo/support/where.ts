import { connect } from '../../../../src/store/mongo/connect.ts';
import { lacksOf } from '../../../../src/store/mongo/lacks.ts';
import { openMongoStore } from '../../../../src/store/mongo/store.ts';
import { mongoServer, newMongoPlace } from '../../../support/mongodb/place.ts';
import type { Where } from '../../support/where.ts';

/** Databases on the server that `CRS_TEST_MONGODB` names, what stores lack there, and how they are opened. */
export async function mongoWhere(open?: Where['open']): Promise<Where> {
  const { client, deployment } = await connect(mongoServer(), 5_000);
  await client.close();
  const lacks = lacksOf({ deployment }).map(({ promise }) => promise);
  const where = { newPlace: () => newMongoPlace(), lacks };
  return open === undefined ? where : { ...where, open };
}

/** Opens a store that works as on a sharded cluster. */
export const openAsSharded: Where['open'] = (url, options) => openMongoStore(url, options, { sharded: true });
