import { connect } from '../../../../src/store/mongo/connect.ts';
import { lacksOf } from '../../../../src/store/mongo/lacks.ts';
import { type MongoTrial, openMongoStore } from '../../../../src/store/mongo/store.ts';
import { mongoServer, newMongoPlace } from '../../../support/mongodb/place.ts';
import type { Where } from '../../support/where.ts';

/** Databases on the server that `CRS_TEST_MONGODB` names, and what stores lack there. */
export async function mongoWhere(trial?: MongoTrial): Promise<Where> {
  const { client, deployment } = await connect(mongoServer(), 5_000);
  await client.close();
  const lacks = lacksOf({ deployment }).map(({ promise }) => promise);
  const where = { newPlace: () => newMongoPlace(), lacks };
  return trial === undefined ? where : { ...where, open: (url, options) => openMongoStore(url, options, trial) };
}
