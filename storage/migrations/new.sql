CREATE TABLE account (
	user_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	sample BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_account PRIMARY KEY (user_id, name), 
	CONSTRAINT fk_account_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO "alembic_version" VALUES('0012');

CREATE TABLE api_token (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	scopes VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	used DATETIME, 
	expires DATETIME, 
	CONSTRAINT pk_api_token PRIMARY KEY (id), 
	CONSTRAINT fk_api_token_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT uq_api_token_digest UNIQUE (digest)
);

CREATE TABLE audit (
	user_id VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	kind VARCHAR NOT NULL, 
	flow_id VARCHAR NOT NULL, 
	preview_id VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	content TEXT, 
	digest VARCHAR NOT NULL, 
	previous VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (seq), 
	CONSTRAINT fk_audit_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE audit_head (
	id INTEGER NOT NULL, 
	count INTEGER NOT NULL, 
	hash VARCHAR NOT NULL, 
	CONSTRAINT pk_audit_head PRIMARY KEY (id)
);

INSERT INTO "audit_head" VALUES(1,0,'0000000000000000000000000000000000000000000000000000000000000000');

CREATE TABLE continuation (
	user_id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_continuation PRIMARY KEY (user_id, digest), 
	CONSTRAINT fk_continuation_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE conversation (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_conversation PRIMARY KEY (user_id, id), 
	CONSTRAINT fk_conversation_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE delivery (
	user_id VARCHAR NOT NULL, 
	schedule_id VARCHAR NOT NULL, 
	slot VARCHAR NOT NULL, 
	target VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	attempts INTEGER NOT NULL, 
	not_before DATETIME, 
	"key" VARCHAR NOT NULL, 
	error TEXT NOT NULL, 
	told BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	updated DATETIME NOT NULL, 
	CONSTRAINT pk_delivery PRIMARY KEY (schedule_id, slot, target), 
	CONSTRAINT fk_delivery_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_delivery_schedule_id_slot FOREIGN KEY(schedule_id, slot) REFERENCES slot (schedule_id, slot) ON DELETE CASCADE
);

CREATE TABLE event (
	user_id VARCHAR NOT NULL, 
	flow_id VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	step VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	data JSON NOT NULL, 
	CONSTRAINT pk_event PRIMARY KEY (flow_id, seq), 
	CONSTRAINT fk_event_flow_id FOREIGN KEY(flow_id) REFERENCES flow (id) ON DELETE CASCADE, 
	CONSTRAINT fk_event_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE flow (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	about TEXT NOT NULL, 
	goal TEXT NOT NULL, 
	status VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	created DATETIME NOT NULL, 
	updated DATETIME NOT NULL, 
	snapshot TEXT NOT NULL, interrupt BOOLEAN DEFAULT 0 NOT NULL, thinned INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_flow PRIMARY KEY (id), 
	CONSTRAINT fk_flow_user_id_conversation FOREIGN KEY(user_id, conversation) REFERENCES conversation (user_id, id), 
	CONSTRAINT fk_flow_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE invitation (
	user_id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	expires DATETIME NOT NULL, 
	CONSTRAINT pk_invitation PRIMARY KEY (digest), 
	CONSTRAINT fk_invitation_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE message (
	user_id VARCHAR NOT NULL, 
	id INTEGER NOT NULL, 
	conversation VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	flow_id VARCHAR, 
	at DATETIME NOT NULL, mark VARCHAR, 
	CONSTRAINT pk_message PRIMARY KEY (id), 
	CONSTRAINT fk_message_flow_id FOREIGN KEY(flow_id) REFERENCES flow (id) DEFERRABLE INITIALLY DEFERRED, 
	CONSTRAINT fk_message_user_id_conversation FOREIGN KEY(user_id, conversation) REFERENCES conversation (user_id, id), 
	CONSTRAINT fk_message_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE "model_call" (
	user_id VARCHAR NOT NULL, 
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	flow_id VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	prompt INTEGER NOT NULL, 
	cached INTEGER NOT NULL, 
	completion INTEGER NOT NULL, 
	cost FLOAT, 
	seconds FLOAT NOT NULL, 
	trouble VARCHAR NOT NULL, 
	estimated BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_model_call PRIMARY KEY (id), 
	CONSTRAINT fk_model_call_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE note (
	user_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	said TEXT NOT NULL, 
	conversation VARCHAR NOT NULL, 
	flow_id VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_note PRIMARY KEY (user_id, number), 
	CONSTRAINT fk_note_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE outbox (
	user_id VARCHAR NOT NULL, 
	id INTEGER NOT NULL, 
	preview_id VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	account VARCHAR NOT NULL, 
	action TEXT NOT NULL, 
	status VARCHAR NOT NULL, 
	not_before DATETIME, 
	receipt TEXT, 
	error TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	updated DATETIME NOT NULL, unshown BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_outbox PRIMARY KEY (id), 
	CONSTRAINT fk_outbox_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT uq_outbox_key UNIQUE ("key"), 
	CONSTRAINT uq_outbox_preview_id_position UNIQUE (preview_id, position)
);

CREATE TABLE passkey (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	public_key TEXT NOT NULL, 
	sign_count INTEGER NOT NULL, 
	created DATETIME NOT NULL, 
	used DATETIME, 
	CONSTRAINT pk_passkey PRIMARY KEY (id), 
	CONSTRAINT fk_passkey_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE preview (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	flow_id VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	level VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	body TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	replaces VARCHAR NOT NULL, thinned INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_preview PRIMARY KEY (id), 
	CONSTRAINT fk_preview_flow_id FOREIGN KEY(flow_id) REFERENCES flow (id) DEFERRABLE INITIALLY DEFERRED, 
	CONSTRAINT fk_preview_user_id_conversation FOREIGN KEY(user_id, conversation) REFERENCES conversation (user_id, id), 
	CONSTRAINT fk_preview_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE schedule (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	task TEXT NOT NULL, 
	rule TEXT NOT NULL, 
	zone VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	targets JSON NOT NULL, 
	by_program BOOLEAN NOT NULL, 
	paused DATETIME, 
	since DATETIME NOT NULL, 
	next DATETIME, 
	version INTEGER NOT NULL, 
	created DATETIME NOT NULL, 
	updated DATETIME NOT NULL, 
	CONSTRAINT pk_schedule PRIMARY KEY (id), 
	CONSTRAINT fk_schedule_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE secret (
	user_id VARCHAR NOT NULL, 
	account VARCHAR NOT NULL, 
	sealed TEXT NOT NULL, 
	updated DATETIME NOT NULL, 
	CONSTRAINT pk_secret PRIMARY KEY (user_id, account), 
	CONSTRAINT fk_secret_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE session (
	user_id VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	seen DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	agent TEXT NOT NULL, 
	CONSTRAINT pk_session PRIMARY KEY (id), 
	CONSTRAINT fk_session_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT uq_session_digest UNIQUE (digest)
);

CREATE TABLE setting (
	user_id VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_setting PRIMARY KEY (user_id, "key"), 
	CONSTRAINT fk_setting_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE slot (
	user_id VARCHAR NOT NULL, 
	schedule_id VARCHAR NOT NULL, 
	slot VARCHAR NOT NULL, 
	due DATETIME NOT NULL, 
	status VARCHAR NOT NULL, 
	owner VARCHAR, 
	lease_until DATETIME, 
	attempts INTEGER NOT NULL, 
	stands_for INTEGER NOT NULL, 
	flow_id VARCHAR, 
	result TEXT NOT NULL, 
	covered TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	ended DATETIME, 
	CONSTRAINT pk_slot PRIMARY KEY (schedule_id, slot), 
	CONSTRAINT fk_slot_user_id FOREIGN KEY(user_id) REFERENCES user (id), 
	CONSTRAINT fk_slot_schedule_id FOREIGN KEY(schedule_id) REFERENCES schedule (id) ON DELETE CASCADE
);

CREATE TABLE target (
	user_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	sealed TEXT NOT NULL, 
	says VARCHAR NOT NULL, 
	created DATETIME NOT NULL, 
	CONSTRAINT pk_target PRIMARY KEY (user_id, name), 
	CONSTRAINT fk_target_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE template (
	user_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	subject VARCHAR NOT NULL, 
	body TEXT NOT NULL, 
	CONSTRAINT pk_template PRIMARY KEY (user_id, name), 
	CONSTRAINT fk_template_user_id FOREIGN KEY(user_id) REFERENCES user (id)
);

CREATE TABLE user (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, email VARCHAR DEFAULT '' NOT NULL, password VARCHAR DEFAULT '' NOT NULL, role VARCHAR DEFAULT '' NOT NULL, created DATETIME DEFAULT '1970-01-01 00:00:00' NOT NULL, disabled DATETIME, removed DATETIME, 
	CONSTRAINT pk_user PRIMARY KEY (id)
);

INSERT INTO "user" VALUES('owner','','','','owner','1970-01-01 00:00:00',NULL,NULL);

CREATE TABLE writer (
	id VARCHAR NOT NULL, 
	number BIGINT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_writer PRIMARY KEY (id)
);

CREATE INDEX ix_outbox_status ON outbox (status);

CREATE INDEX ix_flow_status ON flow (status);

CREATE INDEX ix_flow_user_id_conversation_created ON flow (user_id, conversation, created);

CREATE INDEX ix_message_user_id_conversation_id ON message (user_id, conversation, id);

CREATE INDEX ix_preview_flow_id ON preview (flow_id);

CREATE INDEX ix_preview_user_id_conversation_status ON preview (user_id, conversation, status);

CREATE INDEX ix_model_call_flow_id ON model_call (flow_id);

CREATE INDEX ix_model_call_user_id_at ON model_call (user_id, at);

CREATE INDEX ix_audit_flow_id ON audit (flow_id);

CREATE INDEX ix_audit_preview_id ON audit (preview_id);

CREATE INDEX ix_audit_key ON audit ("key");

CREATE UNIQUE INDEX uq_flow_running ON flow (user_id, conversation) WHERE status = 'running';

CREATE INDEX ix_continuation_user_id_at ON continuation (user_id, at);

CREATE INDEX ix_message_user_id_mark ON message (user_id, mark) WHERE mark IS NOT NULL;

CREATE INDEX ix_session_user_id ON session (user_id);

CREATE INDEX ix_api_token_user_id ON api_token (user_id);

CREATE INDEX ix_passkey_user_id ON passkey (user_id);

CREATE INDEX ix_invitation_user_id ON invitation (user_id);

CREATE INDEX ix_schedule_next ON schedule (next);

CREATE INDEX ix_schedule_user_id ON schedule (user_id);

CREATE INDEX ix_slot_status ON slot (status);

CREATE INDEX ix_slot_user_id ON slot (user_id);

CREATE INDEX ix_delivery_status ON delivery (status);

CREATE INDEX ix_delivery_user_id ON delivery (user_id)
