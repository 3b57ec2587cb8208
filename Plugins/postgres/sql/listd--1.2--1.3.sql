-- Drops tables that are gone from a list, keeps a list from being given another table by mistake, and logs writes of
-- sessions that act as a replica. Where the extension cannot be installed, run this file with psql to update from 1.2
-- to 1.3.
--
-- Triggers that exist already stay as they are: listd.watch, called again, replaces them.

CREATE OR REPLACE FUNCTION listd.version() RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '1.3' $$;

-- Creates the triggers of a table that is watched for a list, and returns their number. They also fire in sessions
-- with session_replication_role = replica, as pg_restore --disable-triggers uses.
CREATE OR REPLACE FUNCTION listd.set_triggers(list integer, origin regclass, key text, is_row_by_row boolean) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    kinds CONSTANT text[] := CASE WHEN is_row_by_row THEN ARRAY['row', 'truncate'] ELSE ARRAY['insert', 'update', 'delete', 'truncate'] END;
    kind text;
BEGIN
    PERFORM listd.drop_triggers(list, origin);
    IF is_row_by_row THEN
        EXECUTE format('CREATE TRIGGER listd_%s_row AFTER INSERT OR UPDATE OR DELETE ON %s '
            'FOR EACH ROW EXECUTE FUNCTION listd.log_row(%L, %L)', list, origin, list, key);
    ELSE
        EXECUTE format('CREATE TRIGGER listd_%s_insert AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
        EXECUTE format('CREATE TRIGGER listd_%s_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
        EXECUTE format('CREATE TRIGGER listd_%s_delete AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    END IF;
    EXECUTE format('CREATE TRIGGER listd_%s_truncate AFTER TRUNCATE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION listd.log_statement(%L, %L)', list, origin, list, key);
    FOREACH kind IN ARRAY kinds LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER listd_%s_%s', origin, list, kind);
    END LOOP;
    RETURN cardinality(kinds);
END $$;

-- Creates a list of a table or view, or changes it. A further call with another origin watches that table as well. Tables
-- that were dropped are no longer watched for the list. The list stays with its relation: another one is refused, unless
-- the relation was dropped.
--
-- relation: the table or view. It has a column id, unique and not null, and optionally a column type with the object's type.
-- origin:   the table whose changes change the list; NULL = the relation itself, or the only table that the view reads.
-- key:      the column of origin that contains the id of the list's row.
-- ordering: the columns that determine the order, each not null and with an index in this order; NULL = rank, id, or id alone.
-- triggers: 'statement' logs all keys of a statement together. 'row' logs each row by itself: this costs writers more, but also
--           covers writes by logical replication and direct writes to a partition.
CREATE OR REPLACE FUNCTION listd.watch(
    name text, relation regclass, origin regclass DEFAULT NULL, key text DEFAULT 'id', ordering text[] DEFAULT NULL,
    triggers text DEFAULT 'statement')
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    columns text[] := ARRAY(
        SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped);
    number integer;
    missing text;
    former regclass;
    dropped oid;
BEGIN
    IF watch.triggers IS NULL OR watch.triggers NOT IN ('statement', 'row') THEN
        RAISE EXCEPTION 'listd: triggers => % is neither ''statement'' nor ''row''', quote_nullable(watch.triggers);
    END IF;
    SELECT l.relation INTO former
        FROM listd.list l JOIN pg_class c ON c.oid = l.relation WHERE l.name = watch.name AND l.relation <> watch.relation;
    IF former IS NOT NULL THEN
        RAISE EXCEPTION 'listd: the list "%" has the rows of %, not of %', name, former, relation
            USING HINT = format('Choose another name, or first run: SELECT listd.unwatch(%L)', name);
    END IF;
    IF NOT 'id' = ANY (columns) THEN
        RAISE EXCEPTION 'listd: % has no column "id"', relation
            USING HINT = 'Make a view that names the column which identifies a row "id".';
    END IF;
    ordering := coalesce(ordering, CASE WHEN 'rank' = ANY (columns) THEN ARRAY['rank'] ELSE '{}' END);
    SELECT c INTO missing FROM unnest(ordering) c WHERE NOT c = ANY (columns) LIMIT 1;
    IF missing IS NOT NULL THEN RAISE EXCEPTION 'listd: % has no column "%" to order by', relation, missing; END IF;
    IF NOT 'id' = ANY (ordering) THEN ordering := ordering || 'id'::text; END IF;
    origin := coalesce(origin, listd.table_of(relation));
    IF NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = origin AND a.attname = key AND a.attnum > 0 AND NOT a.attisdropped)
    THEN
        RAISE EXCEPTION 'listd: % has no column "%" that could be the key of %', origin, key, relation
            USING HINT = 'Name the column with key => ''…''.';
    END IF;
    INSERT INTO listd.list AS l (name, relation, ordering) VALUES (watch.name, watch.relation, watch.ordering)
        ON CONFLICT ON CONSTRAINT list_name_key DO UPDATE SET relation = excluded.relation, ordering = excluded.ordering
        RETURNING l.number INTO number;
    FOR dropped IN
        DELETE FROM listd.origin o
            WHERE o.list = number AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = o.relation) RETURNING o.relation::oid
    LOOP
        RAISE NOTICE 'listd: the list "%" no longer watches the table with the OID %, which was dropped', name, dropped;
    END LOOP;
    INSERT INTO listd.origin AS o (list, relation, key, triggers)
        VALUES (number, watch.origin, watch.key, listd.set_triggers(number, watch.origin, watch.key, watch.triggers = 'row'))
        ON CONFLICT ON CONSTRAINT origin_pkey DO UPDATE SET key = excluded.key, triggers = excluded.triggers;
    INSERT INTO listd.change (list) VALUES (number);
    RETURN number;
END $$;
